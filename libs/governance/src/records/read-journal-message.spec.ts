import { attemptFacts, journalSubject, runFact } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { readJournalMessage } from './read-journal-message.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const started = attemptFacts().started();
const subject = journalSubject(scope, started);

describe('a Journal message', () => {
  it.each([started, runFact('RunCreated')])('is read as the fact it is', (fact) => {
    const read = readJournalMessage(journalSubject(scope, fact), encode(fact));
    expect(read).toMatchObject({ scope, fact, reason: undefined });
    expect(read.position).toMatchObject({ ...scope, runId: 'run-42' });
  });

  it.each([
    ['not JSON', new Uint8Array([0xff]), 'not a CloudEvents event'],
    ['no event', encode([1]), 'not a CloudEvents event'],
    [
      'an unknown version',
      encode({ ...started, type: 'io.agentstration.ToolExecutionStarted.v2' }),
      'unknown fact type io.agentstration.ToolExecutionStarted.v2',
    ],
    ['a missing field', encode({ ...started, data: { ...started.data, invocationId: undefined } }), '/data/invocationId is required'],
    ['another Run', encode({ ...started, data: { ...started.data, runId: 'other' } }), 'the Run is not that of the subject'],
    ['another call', encode({ ...started, data: { ...started.data, toolCallId: 'other' } }), 'the Tool Call is not that of the subject'],
    ['a fact of the Run', encode(runFact('RunCreated')), 'the Tool Call is not that of the subject'],
    ['a leap second', encode({ ...started, time: '2016-12-31T23:59:60Z' }), '/time is not a moment that exists'],
  ])(verifies('PROJ-005', 'of %s keeps its place and says what is wrong'), (_, payload, reason) => {
    const read = readJournalMessage(subject, payload);
    expect(read).toMatchObject({ scope, fact: undefined, reason });
    expect(read.position).toMatchObject({ toolCallId: 'call_9' });
  });

  it('of a Workspace without a Run counts for the Workspace only, and of none for none', () => {
    expect(readJournalMessage('agentstration.journal.v1.local.demo.other.x', encode(started))).toMatchObject({
      scope,
      position: undefined,
    });
    expect(readJournalMessage('agentstration.journal.v1.%', encode(started))).toMatchObject({ scope: undefined, position: undefined });
  });
});
