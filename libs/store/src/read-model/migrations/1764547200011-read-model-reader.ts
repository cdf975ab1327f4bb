import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseRole } from '../../connection/roles.ts';
import { forwardOnly } from '../../migrations/forward-only.ts';

const reader = databaseRole('reader');

/** The read API has a role of its own, which may read and nothing else. The projector grants it each generation's tables. */
export class ReadModelReader1764547200011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT USAGE ON SCHEMA read_model TO ${reader}`);
    await runner.query(`GRANT SELECT ON read_model.generation, read_model.active TO ${reader}`);
  }

  down = forwardOnly;
}
