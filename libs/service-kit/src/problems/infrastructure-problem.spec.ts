import { verifies } from '@agentstration/test/verifies';
import { connect, errors } from '@nats-io/transport-node';
import { freePort } from '@agentstration/local-servers';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { infrastructureProblem } from './infrastructure-problem.ts';
import { ProblemError } from './problem-error.ts';
import { ProblemMappings } from './problem-mappings.ts';

const withCode = (code: string): Error => Object.assign(new Error('canary'), { code });
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('infrastructureProblem', () => {
  it.each<[string, unknown]>([
    ...['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '08006', '53300', '57014', '40001'].map((code): [string, unknown] => [
      code,
      withCode(code),
    ]),
    ['what TypeORM wraps', Object.assign(new Error('canary'), { driverError: withCode('57P01') })],
    ['a cause', new Error('outer', { cause: new Error('middle', { cause: withCode('ECONNREFUSED') }) })],
    ['all addresses', new AggregateError([withCode('ECONNREFUSED')], 'canary')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a broker that does not answer', new errors.TimeoutError()],
    ['a broker without a stream', new errors.NoRespondersError('subject')],
    ['a closed connection', new errors.ClosedConnectionError()],
  ])(verifies('HTTP-010', '%s is 503 with Retry-After'), (_, error) => {
    const problem = infrastructureProblem(error);
    expect(problem).toMatchObject({
      code: 'unavailable',
      status: 503,
      extras: { headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
    });
    expect(problem?.detail).not.toContain('canary');
  });

  it.each<[string, unknown]>([
    ['a unique violation', withCode('23505')],
    ['a bug', new TypeError('x is not a function')],
    ['no error', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('%s is not', (_, error) => {
    expect(infrastructureProblem(error)).toBeUndefined();
  });

  it(verifies('HTTP-010', 'knows what the clients really throw'), async () => {
    const port = await freePort();
    const client = new pg.Client({ host: '127.0.0.1', port });
    expect(infrastructureProblem(await failure(client.connect()))).toBeInstanceOf(ProblemError);
    const nats = await failure(connect({ servers: `127.0.0.1:${port}`, reconnect: false, maxReconnectAttempts: 1 }));
    expect(infrastructureProblem(nats)).toBeInstanceOf(ProblemError);
  });

  it('a mapping of a service is asked first', () => {
    const mappings = new ProblemMappings();
    mappings.register((error) => (error instanceof RangeError ? new ProblemError('conflict', 'mine') : undefined));
    expect(mappings.toProblem(new RangeError('x', { cause: withCode('ECONNREFUSED') }))?.code).toBe('conflict');
    expect(mappings.toProblem(withCode('ECONNREFUSED'))?.code).toBe('unavailable');
    expect(mappings.toProblem(new Error('x'))).toBeUndefined();
  });
});
