import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { GovernanceProjectorModule } from '@agentstration/governance-projector';
import { eventually } from '@agentstration/local-servers';
import { createService, developmentToken } from '@agentstration/service-kit';
import { readModelFormat } from '@agentstration/store/read-model';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { attemptFacts } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { runProjectorCommand } from './projector-command.ts';
import { type ProjectorRig, demo, startProjectorRig } from './projector-rig.ts';

jest.setTimeout(120_000);

let rig: ProjectorRig;
let database: DataSource;
let service: NestExpressApplication;
let newest: number;
beforeAll(async () => {
  rig = await startProjectorRig();
  const attempt = attemptFacts();
  newest = await rig.publish(demo, attempt.started(), attempt.evaluated(), attempt.completed());
  await rig.get(`/api/tool-governance?waitFor=${newest}`);
  database = await new DataSource({ type: 'postgres', url: rig.databaseUrl }).initialize();
  await rig.application.close();
  // What another version of the product made: other columns, another table.
  for (const statement of [
    'ALTER TABLE read_model.record_1 RENAME COLUMN document TO body',
    'ALTER TABLE read_model.attempt_1 DROP COLUMN workspace_key CASCADE',
    'CREATE TABLE read_model.of_old_1 (x integer)',
    'ALTER TABLE read_model.of_old_1 OWNER TO agentstration_projector',
    `UPDATE read_model.generation SET format = ${readModelFormat - 1}`,
  ]) {
    await database.query(statement);
  }
  service = await createService(GovernanceProjectorModule.register(rig.configuration), {
    name: 'governance-projector',
    configuration: rig.configuration,
  });
  await service.listen(0, '127.0.0.1');
}, 120_000);
afterAll(async () => {
  await service?.close();
  await database?.destroy();
  await rig?.stop();
});

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const token = await developmentToken({ dataDirectory: rig.directory, tenant: 'acme', workspaces: ['demo'], role: 'auditor' });
  const url = `http://127.0.0.1:${(service.getHttpServer().address() as AddressInfo).port}${path}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const command = (...given: string[]) => runProjectorCommand(rig, ...given);

const routes = [
  '',
  '/export',
  '/stream',
  '/summary',
  '/dead-letters',
  '/runtime/run-42',
  '/runtime/run-42/tool-calls',
  '/runtime/run-42/events',
];

describe('a read model that another version made', () => {
  it.each(routes)(verifies('PROJ-016', 'is 503 with what to do at %s'), async (route) => {
    expect(await get(`/api/tool-governance${route}`)).toMatchObject({
      status: 503,
      body: { code: 'unavailable', detail: 'The read model was made by another version: an operator must rebuild it' },
    });
  });

  it(verifies('PROJ-016', 'is told by readiness, and by the commands that cannot read it'), async () => {
    const told = `the read model is of format ${readModelFormat - 1}, this version knows ${readModelFormat}: run the command \`projector rebuild\``;
    await eventually(async () => expect(JSON.stringify(await get('/readyz'))).toContain('outdated'), { within: 30_000 });
    expect(JSON.stringify(await get('/readyz'))).toContain(told);
    for (const name of ['verify', 'retain']) expect(await command(name)).toEqual({ code: 1, output: `${told}\n` });
  });

  it(verifies(['PROJ-016', 'PROJ-009'], 'is made anew by a rebuild, kept aside, and dropped with all its tables'), async () => {
    const { code, output } = await command('rebuild');
    expect([code, output]).toEqual([0, expect.stringContaining('there is nothing to compare')]);
    await eventually(
      async () => {
        const answer = await get(`/api/tool-governance/runtime/run-42?waitFor=${newest}`);
        expect(answer).toMatchObject({ status: 200, body: { items: [{ toolCallId: 'call_9', outcome: 'Succeeded' }] } });
      },
      { within: 60_000 },
    );
    expect(await command('back')).toMatchObject({ code: 1 });
    expect((await command('verify')).output).toContain('read model equals the journal');
    expect(await command('drop', '1')).toMatchObject({ code: 0 });
    expect(await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'read_model' AND tablename LIKE '%\\_1'`)).toEqual([]);
  });
});
