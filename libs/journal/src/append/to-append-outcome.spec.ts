import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { fromError } from './to-append-outcome.ts';

const answer = (code: number, description = '') => new JetStreamApiError({ code: 400, err_code: code, description });

describe('what a failed publish says', () => {
  it.each([
    [10071, 'wrong last sequence: 7', 'wrong_last_sequence'],
    [10164, 'wrong last sequence', 'wrong_last_sequence'],
    [10158, 'duplicate message id is in process', 'wrong_last_sequence'],
    [10077, 'maximum bytes exceeded', 'journal_full'],
    [10077, 'maximum messages exceeded', 'journal_full'],
    [10047, 'insufficient storage resources available', 'journal_full'],
    [10054, 'message size exceeds maximum allowed', 'too_large'],
    [10060, 'expected stream does not match', 'error'],
    [10109, 'invalid operation on sealed stream', 'error'],
    [10039, 'jetstream not enabled for account', 'unavailable'],
    [10008, 'JetStream system temporarily unavailable', 'unavailable'],
  ])(verifies('JRNL-010', '%i "%s" is a refusal: %s'), (code, description, reason) => {
    expect(fromError(answer(code, description))).toEqual({ kind: 'refused', reason, detail: `${description} (${code})` });
  });

  it.each([
    ['a storage failure', answer(10077, 'write /data/1.blk: input/output error')],
    ['a code of a broker to come', answer(19999)],
    ['a time-out', new errors.TimeoutError()],
    ['a connection that closes over it', new errors.RequestError('connection closed')],
    ['an answer that is no JSON', new SyntaxError('Unexpected token')],
    ['something that is no error', 'thrown'],
  ])(verifies('JRNL-010', '%s leaves it unknown'), (_what, error) => {
    expect(fromError(error)).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['no stream', new errors.RequestError('', { cause: new errors.NoRespondersError('x') }), 'unavailable'],
    ['no permission', new errors.RequestError('', { cause: new errors.PermissionViolationError('x', 'publish', 'x') }), 'error'],
    ['a closed connection', new errors.ClosedConnectionError(), 'unavailable'],
    ['a draining connection', new errors.DrainingConnectionError(), 'unavailable'],
    ['a subject that is none', new errors.InvalidSubjectError('a b'), 'error'],
    ['a payload beyond max_payload', errors.InvalidArgumentError.format('payload', 'max_payload size exceeded'), 'too_large'],
  ])(verifies('JRNL-010', '%s is a refusal'), (_what, error, reason) => {
    expect(fromError(error)).toMatchObject({ kind: 'refused', reason });
  });
});
