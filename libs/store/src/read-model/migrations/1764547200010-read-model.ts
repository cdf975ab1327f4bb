import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseRole } from '../../connection/roles.ts';
import { forwardOnly } from '../../migrations/forward-only.ts';

const text = 'text COLLATE "C"';
const projector = databaseRole('projector');
const api = databaseRole('api');

/**
 * What outlives the generations of the read model. The tables of a generation are no migration: the projector makes them
 * itself, because they can be dropped and rebuilt from the Journal.
 */
const statements = [
  `CREATE SCHEMA read_model`,
  `CREATE TABLE read_model.generation (
    generation integer PRIMARY KEY,
    format integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    stream_created ${text},
    sequence bigint NOT NULL DEFAULT 0,
    message_hash bytea,
    workspaces integer NOT NULL DEFAULT 0,
    runs bigint NOT NULL DEFAULT 0,
    last_removal bigint NOT NULL DEFAULT 0,
    owner ${text},
    lease_until timestamptz,
    CONSTRAINT read_before_checkpoint CHECK (sequence = 0 OR (stream_created IS NOT NULL AND message_hash IS NOT NULL))
  )`,
  `CREATE TABLE read_model.active (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    generation integer NOT NULL REFERENCES read_model.generation,
    previous integer REFERENCES read_model.generation
  )`,
  // What retention removed, and at which position of the Journal: a rebuild removes the same.
  `CREATE TABLE read_model.removal (
    removal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    workspace_id ${text} NOT NULL,
    journal_sequence bigint NOT NULL,
    through bigint NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now(),
    messages integer NOT NULL,
    records integer NOT NULL,
    attempts integer NOT NULL
  )`,
  `GRANT USAGE, CREATE ON SCHEMA read_model TO ${projector}`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON read_model.generation, read_model.active TO ${projector}`,
  `GRANT SELECT, INSERT ON read_model.removal TO ${projector}`,
  // The management API shows where the calls of a Run stand.
  `GRANT USAGE ON SCHEMA read_model TO ${api}`,
  `GRANT SELECT ON read_model.generation, read_model.active TO ${api}`,
];

export class ReadModel1764547200010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down = forwardOnly;
}
