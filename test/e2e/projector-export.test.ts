import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import { DataSource } from 'typeorm';
import { attemptFacts } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { type ProjectorRig, demo, startProjectorRig } from './projector-rig.ts';

const path = '/api/tool-governance/export';
/** More than the pages that are read ahead and what sockets hold. */
const records = 30_000;

let rig: ProjectorRig;
let database: DataSource;
beforeAll(async () => {
  rig = await startProjectorRig();
  const attempt = attemptFacts();
  const newest = await rig.publish(demo, attempt.started(), attempt.evaluated());
  await rig.get(`/api/tool-governance?waitFor=${newest}`);
  database = await new DataSource({ type: 'postgres', url: rig.databaseUrl }).initialize();
  // Copies of one record, with a name of two kilobytes.
  await database.query(
    `INSERT INTO read_model.record_1 SELECT (jsonb_populate_record(r, jsonb_build_object('workspace_sequence', 100 + i, 'run_sequence', 100 + i,
       'document', r.document || ',"padding":"' || repeat('x', 2000) || '"'))).* FROM read_model.record_1 AS r, generate_series(1, ${records}) AS i`,
  );
  await database.query('UPDATE read_model.workspace_1 SET last_sequence = $1', [100 + records]);
}, 120_000);
afterAll(async () => {
  await database?.destroy();
  await rig?.stop();
});

async function readAll(response: Response): Promise<number> {
  let lines = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) lines += chunk.filter((byte) => byte === 10).length;
  return lines;
}

describe('an export of several pages', () => {
  it(
    verifies('READ-012', 'has every record once'),
    async () => {
      expect(await readAll(await rig.open(path))).toBe(records + 1);
      expect(await readAll(await rig.open(`${path}?format=csv`))).toBe(records + 2);
    },
    120_000,
  );

  it(
    verifies('READ-012', 'that fails on the way does not end as a whole one'),
    async () => {
      const response = await rig.open(path);
      expect(response.status).toBe(200);
      await database.query('REVOKE SELECT ON read_model.record_1 FROM agentstration_reader');
      try {
        await expect(readAll(response)).rejects.toThrow();
      } finally {
        await database.query('GRANT SELECT ON read_model.record_1 TO agentstration_reader');
      }
    },
    120_000,
  );

  it(
    verifies('READ-012', 'lets go of the database when its reader leaves'),
    async () => {
      const leave = new AbortController();
      await rig.open(path, { signal: leave.signal });
      leave.abort();
      const active = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'agentstration-reader' AND state <> 'idle'`;
      await eventually(async () => expect(await database.query(active)).toEqual([{ count: 0 }]), { within: 30_000 });
    },
    60_000,
  );
});
