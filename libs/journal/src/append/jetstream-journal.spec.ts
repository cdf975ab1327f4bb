import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { streams, toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { journalContract } from '../contract-suite/journal-contract.ts';
import { type JournalServer, startJournalServer } from '../contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';

journalContract(
  'JetStreamJournal',
  async () => {
    const server = await startJournalServer();
    const [own, other, raw] = await Promise.all([server.writer(), server.writer(), server.connect()]);
    return {
      journal: own.journal,
      other: other.journal,
      storeUnfenced: async (subject, payload) => (await jetstream(raw).publish(subject, payload)).seq,
      dispose: () => server.stop(),
    };
  },
  30,
);

describe('JetStreamJournal', () => {
  let journal: JournalServer;
  let manager: JetStreamManager;
  beforeAll(async () => {
    journal = await startJournalServer();
    manager = await jetstreamManager(await journal.connect());
  });
  afterAll(() => journal.stop());

  it(verifies('JRNL-009', 'stores a CloudEvents message with its fence and without a Nats-Msg-Id'), async () => {
    const { journal: writer } = await journal.writer();
    const subject = toolCallJournalSubject(sampleCall(1));
    const payload = encodeFact(sampleFact(sampleCall(1), 'a'));
    await writer.append({ subject, payload, expectedLastSequence: 0 });
    const stored = await manager.streams.getMessage(streams.journal, { last_by_subj: subject });
    expect(stored?.header.get('content-type')).toBe('application/cloudevents+json');
    expect(stored?.header.get('Nats-Expected-Last-Subject-Sequence')).toBe('0');
    expect(stored?.header.has('Nats-Msg-Id')).toBe(false);
    expect(stored?.data).toEqual(payload);
  });
});
