import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { newScope } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { StoreFailure } from '../connection/store-failure.ts';
import { inScope } from '../connection/in-scope.ts';
import type { OutboxMessage } from '../outbox/outbox.ts';
import { PostgresRunStore } from './postgres-run-store.ts';
import type { NewRun } from './run-store.ts';

const database = useDatabase();
let api: ReturnType<typeof database.connect> | undefined;
const dataSource = () => (api ??= database.connect('api'));
const runs = () => new PostgresRunStore(dataSource());

const run = (scope: Scope, runId: string, changes: Partial<NewRun> = {}): NewRun => ({
  ...scope,
  ownerKind: 'RuntimeRun',
  runId,
  agentId: 'agent',
  principalId: 'me',
  persistToolArguments: null,
  retryOf: null,
  toolCalls: [],
  ...changes,
});
const message = (scope: Scope, messageId: string): OutboxMessage => ({
  ...scope,
  messageId,
  kind: 'fact',
  subject: `s.${messageId}`,
  payload: '{}',
});
const written = async (scope: Scope): Promise<string[]> =>
  (
    await database.asSuperuser<{ message_id: string }>(
      'SELECT message_id FROM agentstration.outbox WHERE workspace_id = $1 ORDER BY position',
      [scope.workspaceId],
    )
  ).map(({ message_id }) => message_id);

describe('a run', () => {
  it('comes back as it was made', async () => {
    const scope = newScope();
    const toolCalls = [{ toolCallId: 'functions.lookup:0', toolId: 'p.echo', requestId: 'q' }];
    for (const persistToolArguments of [true, false, null]) {
      const made = run(scope, `run:${persistToolArguments}`, { persistToolArguments, toolCalls, retryOf: 'run-0' });
      const outcome = await runs().create(made, []);
      expect(outcome).toMatchObject({ kind: 'created', run: { ...made, cancelledAt: null, cancelledBy: null } });
      expect(await runs().get(made)).toEqual(outcome.run);
      expect(await runs().get({ ...made, ownerKind: 'FlowRun' })).toBeUndefined();
      expect(await runs().get({ ...made, workspaceId: 'other' })).toBeUndefined();
    }
  });

  it(verifies(['STORE-040', 'STORE-041'], 'is made once, with its messages, and keeps its options'), async () => {
    const scope = newScope();
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runs().create(run(scope, 'run', { persistToolArguments: index % 2 === 0, principalId: `p${index}` }), [
          message(scope, `m${index}`),
        ]),
      ),
    );
    const made = attempts.filter(({ kind }) => kind === 'created');
    expect(made).toHaveLength(1);
    for (const { run: seen } of attempts) expect(seen).toEqual(made[0]!.run);
    expect(await written(scope)).toEqual([`m${made[0]!.run.principalId.slice(1)}`]);
    const change = inScope(dataSource(), scope, (manager) =>
      manager.query('UPDATE agentstration.runs SET persist_tool_arguments = true WHERE workspace_id = $1', [scope.workspaceId]),
    );
    await expect(change).rejects.toThrow(new StoreFailure('42501'));
  });

  it(verifies('STORE-040', 'is not there when one of its messages cannot be written'), async () => {
    const scope = newScope();
    await expect(runs().create(run(scope, 'run'), [message(scope, 'm'), message(scope, 'm')])).rejects.toBeInstanceOf(StoreFailure);
    await expect(runs().create(run(scope, 'run'), [message(newScope(), 'm')])).rejects.toBeInstanceOf(StoreFailure);
    expect(await runs().get(run(scope, 'run'))).toBeUndefined();
    expect(await written(scope)).toEqual([]);
  });

  it(verifies('STORE-041', 'is cancelled once'), async () => {
    const scope = newScope();
    expect(await runs().cancel(run(scope, 'run'), 'me', [message(scope, 'm')])).toEqual({ kind: 'not_found' });
    await runs().create(run(scope, 'run'), []);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => runs().cancel(run(scope, 'run'), `by${index}`, [message(scope, `m${index}`)])),
    );
    const first = outcomes.filter(({ kind }) => kind === 'cancelled');
    expect(first).toHaveLength(1);
    const stored = (await runs().get(run(scope, 'run')))!;
    expect(outcomes.every((outcome) => outcome.kind !== 'not_found' && outcome.run.cancelledBy === stored.cancelledBy)).toBe(true);
    expect(await written(scope)).toEqual([`m${stored.cancelledBy!.slice(2)}`]);
  });

  it('is listed newest first, in pages, with those of its workspace', async () => {
    const scope = newScope();
    for (let index = 0; index < 5; index += 1) await runs().create(run(scope, `run-${index}`), []);
    await runs().create(run(newScope(), 'theirs'), []);
    const first = await runs().list(scope, { limit: 2 });
    expect(first.items.map(({ runId }) => runId)).toEqual(['run-4', 'run-3']);
    await runs().create(run(scope, 'run-5'), []);
    const second = await runs().list(scope, { limit: 2, before: first.next! });
    expect(second.items.map(({ runId }) => runId)).toEqual(['run-2', 'run-1']);
    const last = await runs().list(scope, { limit: 2, before: second.next! });
    expect([last.items.map(({ runId }) => runId), last.next]).toEqual([['run-0'], null]);
    expect((await runs().list(scope, { limit: 1, before: '9'.repeat(19) })).items.map(({ runId }) => runId)).toEqual(['run-5']);
  });
});
