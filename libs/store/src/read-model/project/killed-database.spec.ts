import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { abandoned, allows, attemptFacts, managed } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { StoreUnavailable } from '../../connection/store-unavailable.ts';
import { compareGenerations } from '../compare/compare-generations.ts';
import { createGeneration } from '../generations.ts';
import { listDeadLetters } from '../query/list-dead-letters.ts';
import { type ReadModelRig, openReadModel, rigOwner, rigStream } from '../read-model-rig.ts';
import { readCheckpoint, takeLease } from './checkpoint.ts';
import { projectBatch } from './project-batch.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('killed'));
  const [first, second] = [attemptFacts({ invocationId: 'first' }), attemptFacts({ invocationId: 'second', attempt: 2 })];
  rig.append(scope, first.started(), first.evaluated([allows('a')]), second.started());
  rig.append(
    scope,
    first.failed(abandoned),
    second.evaluated([managed('b', 1)]),
    second.completed(),
    attemptFacts({ runId: 'new' }).evaluated(),
  );
  rig.append(scope, { subject: 'agentstration.journal.v1.local.demo.runtime.new', text: 'poison' });
  await rig.project(3);
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** What happens to the connection of a transaction, and before which of its statements. */
interface Death {
  readonly atStatement: number;
  readonly after: boolean;
}

/** A database whose backend dies at one statement of the next transaction. Tells whether it came to that. */
function dying(dataSource: DataSource, death: Death): { database: DataSource; died: () => boolean } {
  let statements = 0;
  let died = false;
  const kill = async (manager: EntityManager): Promise<void> => {
    died = true;
    const [{ pid }] = await manager.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
    await dataSource.query('RESET ROLE');
    await dataSource.query('SELECT pg_terminate_backend($1)', [pid]);
  };
  const wrap = (manager: EntityManager): EntityManager => {
    const query = async (text: string, values?: unknown[]): Promise<unknown> => {
      const isIt = statements++ === death.atStatement;
      if (isIt && !death.after) await kill(manager);
      const answer: unknown = await manager.query(text, values);
      if (isIt && death.after) await kill(manager);
      return answer;
    };
    return Object.assign(Object.create(manager) as EntityManager, { query });
  };
  const transaction = (work: (manager: EntityManager) => Promise<unknown>) => dataSource.transaction((manager) => work(wrap(manager)));
  return { database: Object.assign(Object.create(dataSource) as DataSource, { transaction }), died: () => died };
}

/** A fresh generation with the first three messages projected, so that rows are inserted and updated. */
async function prepared(): Promise<number> {
  const generation = await createGeneration(rig.dataSource);
  await takeLease(rig.dataSource, { generation, owner: rigOwner });
  await projectBatch(rig.dataSource, { generation, owner: rigOwner, streamCreated: rigStream, messages: rig.messages.slice(0, 3) });
  return generation;
}

describe('a database that dies in the transaction of a batch', () => {
  it.each([false, true])(
    verifies(['PROJ-002', 'PROJ-008'], 'at any statement (after it: %s) loses nothing, repeats nothing and dead-letters nothing'),
    async (after) => {
      for (let atStatement = 0; ; atStatement += 1) {
        const generation = await prepared();
        const batch = { generation, owner: rigOwner, streamCreated: rigStream, messages: rig.messages };
        const { database, died } = dying(rig.dataSource, { atStatement, after });
        const outcome = await projectBatch(database, batch).catch((error: unknown) => error);
        if (!died()) {
          expect(atStatement).toBeGreaterThan(10);
          break;
        }
        expect(outcome).toBeInstanceOf(StoreUnavailable);
        expect(await readCheckpoint(rig.dataSource, generation)).toMatchObject({ sequence: 3 });
        await projectBatch(rig.dataSource, batch);
        expect(await rig.dataSource.transaction((manager) => compareGenerations(manager, [1, generation]))).toEqual([]);
      }
      const pool = (rig.dataSource.driver as unknown as { readonly master: Pool }).master;
      expect(pool.waitingCount).toBe(0);
      expect(pool.idleCount).toBe(pool.totalCount);
      expect((await listDeadLetters(rig.reader, { scope, afterSequence: 0, limit: 10 })).items).toHaveLength(1);
    },
  );

  it(verifies('PROJ-002', 'after the commit, with nobody to tell, is found out by the checkpoint'), async () => {
    const generation = await prepared();
    const batch = { generation, owner: rigOwner, streamCreated: rigStream, messages: rig.messages };
    const lost = {
      transaction: async (work: (manager: EntityManager) => Promise<unknown>) => {
        await rig.dataSource.transaction(work);
        throw Object.assign(new Error('Connection terminated unexpectedly'));
      },
    };
    await expect(projectBatch(Object.assign(Object.create(rig.dataSource) as DataSource, lost), batch)).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
    expect(await projectBatch(rig.dataSource, batch)).toBe(rig.messages.length);
    expect(await rig.dataSource.transaction((manager) => compareGenerations(manager, [1, generation]))).toEqual([]);
  });
});
