import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { streams, toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type JournalServer, startJournalServer } from '../contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';

describe('a Journal that has lost facts', () => {
  let own: JournalServer;
  let admin: NatsConnection;
  let manager: JetStreamManager;
  beforeAll(async () => {
    own = await startJournalServer();
    admin = await own.connect();
    manager = await jetstreamManager(admin);
  });
  afterAll(() => own.stop());
  beforeEach(async () => {
    // A broker lets a stream forbid deletions later, and never allow them again.
    const { config } = await manager.streams.info(streams.journal);
    await manager.streams.delete(streams.journal);
    await manager.streams.add({ ...config, deny_delete: false, deny_purge: false });
    for (const number of [1, 2, 3]) {
      const call = sampleCall(number);
      await jetstream(admin).publish(toolCallJournalSubject(call), encodeFact(sampleFact(call, `fact-${number}`)));
    }
  });

  const reasonsOnceForbidden = async (): Promise<readonly string[]> => {
    await manager.streams.update(streams.journal, { deny_delete: true, deny_purge: true });
    const { verifier, journal } = await own.writer();
    const { verified, reasons } = verifier.status;
    const call = sampleCall(4);
    const outcome = await journal.append({
      subject: toolCallJournalSubject(call),
      payload: encodeFact(sampleFact(call, 'next')),
      expectedLastSequence: 0,
    });
    expect([verified, outcome.kind]).toEqual(reasons.length === 0 ? [true, 'acknowledged'] : [false, 'refused']);
    return reasons;
  };

  it(verifies('JVER-010', 'is told from one that is whole'), async () => {
    expect(await reasonsOnceForbidden()).toEqual([]);
  });

  it.each([
    [
      'the oldest',
      1,
      /^The Journal has lost 1 of 3 facts; it begins at sequence 2\. No call .* Restore the stream from a backup\. Without/,
    ],
    ['one between', 2, /^The Journal has lost 1 of 3 facts\. No call /],
    ['the newest', 3, /^The Journal has lost 1 of 3 facts\. No call /],
  ])(verifies('JVER-010', 'is not verified: %s'), async (_which, sequence, reason) => {
    await manager.streams.deleteMessage(streams.journal, sequence, false);
    expect(await reasonsOnceForbidden()).toEqual([expect.stringMatching(reason)]);
  });

  it(verifies('JVER-010', 'is not verified: all of them'), async () => {
    await manager.streams.purge(streams.journal);
    expect(await reasonsOnceForbidden()).toEqual([expect.stringMatching(/^The Journal has lost 3 of 3 facts; it begins at sequence 4\./)]);
  });
});
