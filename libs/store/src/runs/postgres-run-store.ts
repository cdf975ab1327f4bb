import type { RunKey, Scope } from '@agentstration/contracts';
import { And, type DataSource, type EntityManager, IsNull, LessThan, MoreThan } from 'typeorm';
import { inScope } from '../connection/in-scope.ts';
import { type OutboxMessage, writeToOutbox } from '../outbox/outbox.ts';
import { RunEntity } from './run-entity.ts';
import type { CancelRunOutcome, CreateRunOutcome, NewRun, RunPage, RunStore, StoredRun } from './run-store.ts';

/** Runs in PostgreSQL. A Run and the messages that it causes are one transaction. */
export class PostgresRunStore implements RunStore {
  constructor(private readonly dataSource: DataSource) {}

  create(run: NewRun, messages: readonly OutboxMessage[]): Promise<CreateRunOutcome> {
    return inScope(this.dataSource, run, async (manager) => {
      const isNew = await insertNew(manager, run);
      if (isNew) await writeToOutbox(manager, messages);
      const stored = await manager.findOneByOrFail(RunEntity, identity(run));
      return { kind: isNew ? 'created' : 'already_exists', run: toRun(stored) };
    });
  }

  get(key: RunKey): Promise<StoredRun | undefined> {
    return inScope(this.dataSource, key, (manager) => find(manager, key));
  }

  list(scope: Scope, { limit, before }: { readonly limit: number; readonly before?: string }): Promise<RunPage> {
    return inScope(this.dataSource, scope, async (manager) => {
      const rows = await manager.find(RunEntity, {
        // Positions are positive: saying so opens the index of this query.
        where: { ...workspace(scope), position: before === undefined ? MoreThan('0') : And(MoreThan('0'), LessThan(atMost(before))) },
        order: { position: 'DESC' },
        take: limit + 1,
      });
      const items = rows.slice(0, limit).map(toRun);
      return { items, next: rows.length > limit ? (items.at(-1)?.position ?? null) : null };
    });
  }

  cancel(key: RunKey, by: string, messages: readonly OutboxMessage[]): Promise<CancelRunOutcome> {
    return inScope(this.dataSource, key, async (manager) => {
      const { affected } = await manager.update(
        RunEntity,
        { ...identity(key), cancelledAt: IsNull() },
        { cancelledAt: () => 'now()', cancelledBy: by },
      );
      if (affected === 1) await writeToOutbox(manager, messages);
      const run = await find(manager, key);
      return run ? { kind: affected === 1 ? 'cancelled' : 'already_cancelled', run } : { kind: 'not_found' };
    });
  }
}

const largestPosition = 2n ** 63n - 1n;
/** Beyond the largest position there is none: a cursor may say any number. */
const atMost = (position: string): string => (BigInt(position) > largestPosition ? largestPosition : BigInt(position)).toString();

const workspace = ({ tenantId, workspaceId }: Scope): Scope => ({ tenantId, workspaceId });
const identity = (key: RunKey): RunKey => ({ ...workspace(key), ownerKind: key.ownerKind, runId: key.runId });

/** Whether the name was free. Of two at the same time, one waits for the other. */
async function insertNew(manager: EntityManager, run: NewRun): Promise<boolean> {
  const { agentId, principalId, persistToolArguments, retryOf, toolCalls } = run;
  const values = { ...identity(run), agentId, principalId, persistToolArguments, retryOf, toolCalls };
  const inserted = await manager.createQueryBuilder().insert().into(RunEntity).values(values).orIgnore().returning('run_id').execute();
  return (inserted.raw as unknown[]).length === 1;
}

async function find(manager: EntityManager, key: RunKey): Promise<StoredRun | undefined> {
  const run = await manager.findOneBy(RunEntity, identity(key));
  return run ? toRun(run) : undefined;
}

const toRun = ({ createdAt, cancelledAt, ...run }: RunEntity): StoredRun => ({
  ...run,
  createdAt: createdAt.toISOString(),
  cancelledAt: cancelledAt?.toISOString() ?? null,
});
