import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import { DataSource } from 'typeorm';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type Governed, startGoverned } from './executor-rig.ts';

jest.setTimeout(180_000);

const main = join(import.meta.dirname, '../../apps/governance-projector/dist/main.js');
const within = 60_000;

let governed: Governed;
let database: DataSource;
let directory: string;
let projector: ChildProcess | undefined;
let called = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'projector-stopped-'));
  governed = await startGoverned({ tools: { ok: {} } });
  database = await new DataSource({ type: 'postgres', url: governed.databaseUrl }).initialize();
}, 120_000);
afterAll(async () => {
  projector?.kill('SIGKILL');
  await database?.destroy();
  await governed?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Asks for calls, and waits until each has succeeded. */
async function callTools(count: number): Promise<void> {
  const asked = Array.from({ length: count }, () => request(`call-${(called += 1)}`, 'ok', { arguments: { message: 'hello' } }));
  for (const each of asked) await governed.requester.publish(each);
  const results = await Promise.all(asked.map((each) => governed.requester.result(each, { within })));
  expect(results.map(({ outcome }) => outcome)).toEqual(asked.map(() => 'Succeeded'));
}

function startProjector(): ChildProcess {
  const settings = {
    ...{ PATH: process.env.PATH, Agentstration__Database__Url: governed.databaseUrl, Agentstration__Nats__Servers__0: governed.nats.url },
    ...{ Agentstration__Authentication__Mode: 'Development', Agentstration__DataDirectory: directory, Agentstration__Http__Port: '0' },
  };
  return spawn(process.execPath, [main], { env: settings, cwd: directory, stdio: 'ignore' });
}

/** Until every call is a record with its outcome, once. */
const caughtUp = () =>
  eventually(
    async () => {
      const rows = await database.query<unknown>('SELECT count(*)::int AS records, count(outcome)::int AS ended FROM read_model.record_1');
      expect(rows).toEqual([{ records: called, ended: called }]);
    },
    { within },
  );

describe('an executor', () => {
  it(verifies('PROJ-015', 'does not mind a projector that is absent, frozen or killed, which catches up without loss'), async () => {
    await callTools(15);
    projector = startProjector();
    await caughtUp();
    projector.kill('SIGSTOP');
    await callTools(15);
    projector.kill('SIGCONT');
    await caughtUp();
    projector.kill('SIGKILL');
    await callTools(15);
    projector = startProjector();
    await caughtUp();
  });
});
