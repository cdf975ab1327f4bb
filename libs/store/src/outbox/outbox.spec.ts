import { describe, expect, it } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import type { Scope } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { newScope } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { inScope } from '../connection/in-scope.ts';
import { StoreUnavailable } from '../connection/store-unavailable.ts';
import { Outbox, type OutboxMessage, writeToOutbox } from './outbox.ts';

const database = useDatabase();
let api: ReturnType<typeof database.connect> | undefined;
const dataSource = () => (api ??= database.connect('api', { poolSize: 12 }));
const outbox = () => new Outbox(dataSource());

const request = (scope: Scope, messageId: string): OutboxMessage => ({
  ...scope,
  messageId,
  kind: 'tool-request',
  subject: 'requests',
  payload: `{"arguments":"secret of ${messageId}"}`,
});
const fact = (scope: Scope, messageId: string, subject: string): OutboxMessage => ({
  ...scope,
  messageId,
  kind: 'fact',
  subject,
  payload: '{}',
});
const write = (scope: Scope, ...messages: OutboxMessage[]): Promise<void> =>
  inScope(dataSource(), scope, (manager) => writeToOutbox(manager, messages));
const idsOf = (messages: readonly OutboxMessage[]): string[] => messages.map(({ messageId }) => messageId);
const drain = async (): Promise<void> => {
  for (;;) {
    const claimed = await outbox().claim({ limit: 1000, leaseMs: 60_000 });
    if (claimed.length === 0) return;
    await outbox().markSent(claimed);
  }
};

describe('the outbox', () => {
  it('hands out the messages of every workspace as they were written, oldest first', async () => {
    const [ours, theirs] = [newScope(), newScope()];
    await write(ours, request(ours, 'a'), fact(ours, 'b', 'run'));
    await write(theirs, request(theirs, 'a'));
    expect(await outbox().backlog()).toMatchObject({ waiting: 3 });
    const claimed = await outbox().claim({ limit: 10, leaseMs: 60_000 });
    expect(claimed).toMatchObject(
      [request(ours, 'a'), fact(ours, 'b', 'run'), request(theirs, 'a')].map((sent) => ({ ...sent, claims: 1 })),
    );
    await drain();
    await outbox().markSent(claimed);
    expect(await outbox().backlog()).toEqual({ waiting: 0, oldestAt: null });
  });

  it(verifies('STORE-044', 'keeps no payload of what was sent'), async () => {
    const scope = newScope();
    await write(scope, request(scope, 'a'), request(scope, 'b'));
    const [first] = await outbox().claim({ limit: 1, leaseMs: 60_000 });
    await outbox().markSent([first!]);
    const rows = await database.asSuperuser(
      'SELECT message_id, payload FROM agentstration.outbox WHERE workspace_id = $1 ORDER BY position',
      [scope.workspaceId],
    );
    expect(rows).toEqual([
      { message_id: 'a', payload: null },
      { message_id: 'b', payload: request(scope, 'b').payload },
    ]);
    await drain();
    const [{ total }] = (await database.asSuperuser('SELECT count(*)::integer AS total FROM agentstration.outbox')) as [{ total: number }];
    expect([await outbox().purgeSent(60_000), await outbox().purgeSent(0), await outbox().purgeSent(0)]).toEqual([0, total, 0]);
  });

  it(verifies('STORE-042', 'hands a message out again, under its id, when its dispatcher died'), async () => {
    const scope = newScope();
    await write(scope, request(scope, 'a'));
    const [first] = await outbox().claim({ limit: 10, leaseMs: 300 });
    expect(await outbox().claim({ limit: 10, leaseMs: 300 })).toEqual([]);
    await eventually(async () => {
      const again = await outbox().claim({ limit: 10, leaseMs: 60_000 });
      expect(again).toEqual([{ ...first, claims: 2 }]);
    });
    // The first dispatcher was only slow: that it marks late does no harm.
    await outbox().markSent([first!]);
    expect(await outbox().claim({ limit: 10, leaseMs: 60_000 })).toEqual([]);
    await write(scope, request(scope, 'b'));
    const given = await outbox().claim({ limit: 10, leaseMs: 60_000 });
    await outbox().release(given);
    expect(idsOf(await outbox().claim({ limit: 10, leaseMs: 60_000 }))).toEqual(['b']);
    await outbox().markSent(given);
  });

  it(verifies('STORE-043', 'gives the facts of a subject in order, one at a time, and holds up nothing else'), async () => {
    const scope = newScope();
    await write(
      scope,
      fact(scope, 'created', 'run-1'),
      fact(scope, 'cancelled', 'run-1'),
      fact(scope, 'other', 'run-2'),
      request(scope, 'q'),
    );
    const first = await outbox().claim({ limit: 10, leaseMs: 60_000 });
    expect(idsOf(first)).toEqual(['created', 'other', 'q']);
    expect(await outbox().claim({ limit: 10, leaseMs: 60_000 })).toEqual([]);
    await outbox().markSent(first);
    const second = await outbox().claim({ limit: 10, leaseMs: 60_000 });
    expect(idsOf(second)).toEqual(['cancelled']);
    await outbox().markSent(second);
  });

  it(verifies('STORE-043', 'gives no message to two of many dispatchers'), async () => {
    const scope = newScope();
    await write(scope, ...Array.from({ length: 400 }, (_, index) => request(scope, `m${index}`)));
    const dispatch = async (): Promise<string[]> => {
      const sent: string[] = [];
      for (;;) {
        const claimed = await outbox().claim({ limit: 7, leaseMs: 60_000 });
        if (claimed.length === 0) return sent;
        sent.push(...idsOf(claimed));
        await outbox().markSent(claimed);
      }
    };
    const sent = (await Promise.all(Array.from({ length: 8 }, dispatch))).flat();
    expect(sent).toHaveLength(400);
    expect(new Set(sent).size).toBe(400);
  });

  it(verifies(['STORE-040', 'STORE-042'], 'holds what was committed, and nothing else, when the database dies'), async () => {
    const scope = newScope();
    await write(scope, request(scope, 'kept'));
    const lost = inScope(dataSource(), scope, async (manager) => {
      await writeToOutbox(manager, [request(scope, 'lost')]);
      await database.server.kill();
    });
    await expect(lost).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(outbox().claim({ limit: 10, leaseMs: 100 })).rejects.toBeInstanceOf(StoreUnavailable);
    await database.server.restart();
    const claimed = await outbox().claim({ limit: 10, leaseMs: 100 });
    expect(idsOf(claimed)).toEqual(['kept']);
    // Dies between the broker's acknowledgement and the mark: the message goes out once more, under the same id.
    await database.server.kill();
    await expect(outbox().markSent(claimed)).rejects.toBeInstanceOf(StoreUnavailable);
    await database.server.restart();
    await eventually(async () => expect(idsOf(await outbox().claim({ limit: 10, leaseMs: 60_000 }))).toEqual(['kept']));
  });
});
