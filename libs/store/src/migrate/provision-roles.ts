import type { QueryRunner } from 'typeorm';
import { databaseRole, storeRoles } from '../connection/roles.ts';

/**
 * Makes the roles of the services where they are missing. They cannot log in: a login user of a production database is
 * granted one of them. Roles belong to the whole cluster, so migrations of other databases may make them at the same time.
 */
export async function provisionRoles(runner: QueryRunner): Promise<void> {
  for (const role of storeRoles.map(databaseRole)) {
    await runner.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
        BEGIN
          CREATE ROLE ${role} NOLOGIN NOSUPERUSER NOBYPASSRLS;
        EXCEPTION
          WHEN duplicate_object OR unique_violation THEN NULL;
          WHEN insufficient_privilege THEN
            RAISE EXCEPTION 'The migrating user may not create roles' USING ERRCODE = 'insufficient_privilege',
              HINT = 'Let an administrator run: CREATE ROLE ${role} NOLOGIN';
        END;
      END IF;
      IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}' AND (rolsuper OR rolbypassrls)) THEN
        RAISE EXCEPTION 'The role ${role} may bypass row level security' USING ERRCODE = 'invalid_authorization_specification';
      END IF;
    END $$`);
  }
  await letProjectorRead(runner);
}

/** The projector answers readers under a role that sees one Workspace. It may write all that this role reads: nothing is gained by it. */
async function letProjectorRead(runner: QueryRunner): Promise<void> {
  const [projector, reader] = [databaseRole('projector'), databaseRole('reader')];
  await runner.query(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = '${reader}'::regrole AND member = '${projector}'::regrole) THEN
      GRANT ${reader} TO ${projector};
    END IF;
  EXCEPTION
    WHEN unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
      RAISE EXCEPTION 'The migrating user may not grant roles' USING ERRCODE = 'insufficient_privilege',
        HINT = 'Let an administrator run: GRANT ${reader} TO ${projector}';
  END $$`);
}
