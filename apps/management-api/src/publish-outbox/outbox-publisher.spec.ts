import { eventually } from '@agentstration/local-servers';
import type { ClaimedMessage } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OutboxPublisher } from './outbox-publisher.ts';
import type { Published } from './publish-message.ts';

/** An outbox in memory with leases that never end within a test. */
class Rows {
  readonly waiting: string[] = [];
  readonly sent: string[] = [];
  readonly leased = new Set<string>();
  failures = 0;

  claim({ limit }: { limit: number }): Promise<ClaimedMessage[]> {
    if (this.failures > 0) return ((this.failures -= 1), Promise.reject(new Error('The database cannot be used at the moment')));
    const free = this.waiting.filter((id) => !this.leased.has(id)).slice(0, limit);
    free.forEach((id) => this.leased.add(id));
    return Promise.resolve(free.map((messageId) => ({ messageId, kind: 'tool-request' }) as ClaimedMessage));
  }
  markSent(messages: readonly ClaimedMessage[]): Promise<void> {
    for (const { messageId } of messages) {
      this.sent.push(messageId);
      this.waiting.splice(this.waiting.indexOf(messageId), 1);
    }
    return Promise.resolve();
  }
  release(messages: readonly ClaimedMessage[]): Promise<void> {
    for (const { messageId } of messages) this.leased.delete(messageId);
    return Promise.resolve();
  }
  purgeSent(): Promise<number> {
    return Promise.resolve(0);
  }
}

const running: OutboxPublisher[] = [];
function start(outbox: Rows, publish: (id: string) => Promise<Published>) {
  const warnings: string[] = [];
  const publisher = new OutboxPublisher({
    outbox,
    publish: ({ messageId }) => publish(messageId),
    warn: (detail) => void warnings.push(detail),
    ...{ idleMs: 5, retryMs: 5 },
  });
  publisher.start();
  running.push(publisher);
  return { publisher, warnings };
}
afterEach(async () => void (await Promise.all(running.splice(0).map((publisher) => publisher.stop()))));

const sent = (): Promise<Published> => Promise.resolve({ kind: 'sent' });

describe('the outbox publisher', () => {
  it(verifies('RUN-007', 'sends in the order of writing'), async () => {
    const outbox = new Rows();
    outbox.waiting.push(...Array.from({ length: 150 }, (_, index) => `m${index}`));
    const order = [...outbox.waiting];
    start(outbox, sent);
    await eventually(() => expect(outbox.sent).toEqual(order), { within: 2000 });
  });

  it(verifies('RUN-009', 'what the broker does not take waits alone'), async () => {
    const outbox = new Rows();
    outbox.waiting.push(...Array.from({ length: 200 }, (_, index) => (index < 100 ? `stuck${index}` : `m${index}`)));
    const { warnings } = start(outbox, (id) => (id.startsWith('stuck') ? Promise.resolve({ kind: 'not_yet', detail: 'full' }) : sent()));
    await eventually(() => expect(outbox.sent).toHaveLength(100), { within: 2000 });
    expect(outbox.waiting).toHaveLength(100);
    expect(new Set(warnings)).toEqual(new Set(['a tool-request waits: full']));
  });

  it(verifies('RUN-007', 'outlives a database that goes away'), async () => {
    const outbox = new Rows();
    outbox.failures = 3;
    outbox.waiting.push('m');
    const { warnings } = start(outbox, sent);
    await eventually(() => expect(outbox.sent).toEqual(['m']), { within: 2000 });
    expect(warnings).toHaveLength(3);
  });

  it(verifies('RUN-007', 'stops after the message in hand and gives back the rest'), async () => {
    const outbox = new Rows();
    outbox.waiting.push('a', 'b', 'c');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const asked: string[] = [];
    const { publisher } = start(outbox, async (id) => {
      asked.push(id);
      await held;
      return { kind: 'sent' };
    });
    await eventually(() => expect(asked).toEqual(['a']), { within: 2000 });
    const stopped = publisher.stop();
    release();
    await stopped;
    expect(outbox.sent).toEqual(['a']);
    expect([...outbox.leased]).toEqual(['a']);
  });
});
