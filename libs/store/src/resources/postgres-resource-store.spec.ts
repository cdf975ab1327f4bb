import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { describeResourceStore } from '../contract-suite/resource-store-suite.ts';
import { content, hookDefinition, newScope, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { PostgresResourceStore } from './postgres-resource-store.ts';

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
