import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { describeResourceStore } from '../contract-suite/resource-store-suite.ts';
import { content, hookDefinition, newScope, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { PostgresResourceStore } from './postgres-resource-store.ts';
import type { StoredResource } from './resource-store.ts';

const database = useDatabase();
let store: PostgresResourceStore | undefined;
const storeOf = (): PostgresResourceStore => (store ??= new PostgresResourceStore(database.connect('api', { poolSize: 20 })));

describeResourceStore(storeOf);

describe('a change by hand', () => {
  const ofKey = 'tenant_id = $1 AND workspace_id = $2 AND kind = $3 AND namespace = $4 AND name = $5';

  it(verifies('STORE-018', 'of a definition makes a generation and its history'), async () => {
    const key = resourceKey(newScope(), 'ToolExecutionHook', 'guard');
    await storeOf().create(key, content(hookDefinition()), 'maker');
    const parameters = Object.values(key);
    const set = (assignment: string) => database.asSuperuser(`UPDATE agentstration.resources SET ${assignment} WHERE ${ofKey}`, parameters);
    await set(`definition = '{"by": "hand"}', changed_by = 'psql', generation = 1, revision = 1`);
    expect(await storeOf().get(key)).toMatchObject({ generation: 2, revision: 2, definition: { by: 'hand' } });
    expect(await storeOf().getGeneration(key, 2)).toMatchObject({ changedBy: 'psql', definition: { by: 'hand' } });
    await expect(set(`name = 'other'`)).rejects.toThrow('never changes');
    await expect(database.asSuperuser(`DELETE FROM agentstration.resources WHERE ${ofKey}`, parameters)).rejects.toThrow('never removed');
  });

  it(verifies('STORE-018', 'cannot start a name again at its first generation'), async () => {
    const key = resourceKey(newScope(), 'ToolExecutionHook', 'guard');
    await storeOf().create(key, content(hookDefinition()), 'maker');
    const parameters = Object.values(key);
    // Even with the trigger that keeps rows out of the way, the history remembers how far the name had come.
    await database.asSuperuser('ALTER TABLE agentstration.resources DISABLE TRIGGER keep_resource');
    await database.asSuperuser(`DELETE FROM agentstration.resources WHERE ${ofKey}`, parameters);
    await database.asSuperuser('ALTER TABLE agentstration.resources ENABLE ALWAYS TRIGGER keep_resource');
    expect(await storeOf().create(key, content(hookDefinition()), 'maker')).toMatchObject({ kind: 'created', resource: { generation: 2 } });
  });
});

describe('reads that share a round trip', () => {
  it(verifies('STORE-034', 'answer each its own, of every kind and of nothing'), async () => {
    const scope = newScope();
    const keys = Array.from({ length: 60 }, (_, index) =>
      resourceKey(scope, index % 3 === 0 ? 'ToolProvider' : 'ToolExecutionHook', `name-${index}`),
    );
    const made = keys.filter((_, index) => index % 5 !== 4);
    await Promise.all(made.map((key) => storeOf().create(key, content(hookDefinition()), 'maker')));
    const elsewhere = keys.map((key) => ({ ...key, workspaceId: 'elsewhere' }));
    const found = await Promise.all([...keys, ...keys, ...elsewhere].map((key) => storeOf().get(key)));
    const expected = keys.map((key) => (made.includes(key) ? expect.objectContaining(key) : undefined));
    expect(found).toEqual([...expected, ...expected, ...elsewhere.map(() => undefined)]);
  });

  it(verifies('STORE-034', 'a text that PostgreSQL cannot hold fails alone'), async () => {
    const key = resourceKey(newScope(), 'ToolExecutionHook', 'guard');
    await storeOf().create(key, content(hookDefinition()), 'maker');
    const reads = Array.from({ length: 30 }, (_, index) => storeOf().get(index === 20 ? { ...key, name: 'a\u0000' } : key));
    const ends = await Promise.allSettled(reads);
    expect(ends.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(ends[20]?.status).toBe('rejected');
  });

  it(verifies('STORE-035', 'see every write that had answered before they asked'), async () => {
    const key = resourceKey(newScope(), 'ToolExecutionHook', 'guard');
    const created = await storeOf().create(key, content(hookDefinition()), 'maker');
    let { resource } = created as { resource: StoredResource };
    let writing = true;
    const readers = Array.from({ length: 20 }, async () => {
      while (writing) {
        const before = resource.revision;
        expect((await storeOf().get(key))?.revision).toBeGreaterThanOrEqual(before);
      }
    });
    for (let order = 1; order <= 50; order += 1) {
      const change = { expected: resource, content: content({ ...hookDefinition(), order }) };
      const outcome = await storeOf().replace(key, change, 'maker');
      if (outcome.kind !== 'replaced') throw new Error(outcome.kind);
      resource = outcome.resource;
    }
    writing = false;
    await Promise.all(readers);
  });
});
