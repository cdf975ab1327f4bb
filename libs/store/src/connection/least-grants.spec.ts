import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { useDatabase } from '../contract-suite/use-database.ts';
import { ensureGeneration } from '../read-model/index.ts';
import { databaseRole, storeRoles } from './roles.ts';

const database = useDatabase();

interface Grant {
  readonly holder: string;
  readonly place: string;
  readonly rights: string;
}

/** Every right that anybody but its owner holds on a relation of that schema, or on one of its columns. */
const grants = `SELECT CASE grantee WHEN 0 THEN 'everybody' ELSE grantee::regrole::text END AS holder, place,
    string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights
  FROM (
    SELECT c.relname::text AS place, c.relowner AS owner, (aclexplode(c.relacl)).* FROM pg_class c
    WHERE c.relnamespace = $1::text::regnamespace
    UNION ALL
    SELECT c.relname || '.' || a.attname, c.relowner, (aclexplode(a.attacl)).* FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = $1::text::regnamespace
  ) held WHERE grantee <> owner GROUP BY 1, 2 ORDER BY 1, 2`;

const grantsOf = (schema: string): Promise<Grant[]> => database.asSuperuser<Grant>(grants, [schema]);
const asLines = (held: readonly Grant[]): string[] => held.map(({ holder, place, rights }) => `${holder}: ${place} ${rights}`);

describe('the grants of the services', () => {
  it(verifies('STORE-005', 'on resources and runs are these, and no others'), async () => {
    expect(asLines(await grantsOf('agentstration'))).toEqual([
      'agentstration_api: hook_anchors DELETE INSERT SELECT',
      'agentstration_api: outbox DELETE INSERT SELECT',
      ...['claims', 'leased_until', 'payload', 'sent_at'].map((column) => `agentstration_api: outbox.${column} UPDATE`),
      'agentstration_api: resource_generations INSERT SELECT',
      ...['deleted_at', 'deleted_by'].map((column) => `agentstration_api: resource_generations.${column} UPDATE`),
      'agentstration_api: resources INSERT SELECT UPDATE',
      'agentstration_api: runs INSERT SELECT',
      ...['cancelled_at', 'cancelled_by'].map((column) => `agentstration_api: runs.${column} UPDATE`),
      ...['hook_anchors', 'resources', 'runs'].map((table) => `agentstration_executor: ${table} SELECT`),
      'agentstration_projector: runs SELECT',
    ]);
  });

  it(
    verifies('STORE-005', 'let the read model be written by the projector alone, and read by no other than the API and its own reader'),
    async () => {
      await ensureGeneration(database.connect('projector'));
      const others = (await grantsOf('read_model')).filter(({ holder }) => holder !== databaseRole('projector'));
      expect(others).not.toEqual([]);
      const readers = [databaseRole('api'), databaseRole('reader')];
      expect(others.filter(({ holder, rights }) => !readers.includes(holder) || rights !== 'SELECT')).toEqual([]);
      const ofApi = others.filter(({ holder }) => holder === databaseRole('api')).map(({ place }) => place);
      expect(ofApi).toEqual(['active', 'attempt_1', 'generation', 'record_1', 'run_1', 'workspace_1']);
    },
  );

  it(verifies('STORE-005', 'let nobody but the projector make a thing, and no role do what no grant says'), async () => {
    const schemas = await database.asSuperuser<{ role: string; schema: string; create: boolean; use: boolean }>(
      `SELECT role, schema, has_schema_privilege(role, schema, 'CREATE') AS create, has_schema_privilege(role, schema, 'USAGE') AS use
       FROM unnest($1::text[]) role, unnest(ARRAY['agentstration', 'read_model', 'public']) schema`,
      [storeRoles.map(databaseRole)],
    );
    const named = schemas.map(({ role, schema, create, use }) => ({ is: `${role} ${schema}`, create, use }));
    expect(named.filter(({ create }) => create).map(({ is }) => is)).toEqual(['agentstration_projector read_model']);
    expect(named).toContainEqual({ is: 'agentstration_executor read_model', create: false, use: false });
    const special = await database.asSuperuser(
      `SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)
       AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolcanlogin OR rolreplication OR rolbypassrls)
       UNION ALL SELECT member::regrole::text || ' in ' || roleid::regrole::text FROM pg_auth_members WHERE member::regrole::text = ANY ($1)
       UNION ALL SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace::regnamespace::text IN ('agentstration', 'read_model')`,
      [storeRoles.map(databaseRole)],
    );
    expect(special).toEqual([{ rolname: 'agentstration_projector in agentstration_reader' }]);
  });
});
