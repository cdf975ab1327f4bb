import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, freePort } from '@agentstration/local-servers';
import { DataSource } from 'typeorm';
import { attemptFacts } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { type ProjectorRig, demo, startProjectorRig } from './projector-rig.ts';

jest.setTimeout(180_000);

/** Promised are 10 s; a busy machine gets more. */
const within = 60_000;
const main = join(import.meta.dirname, '../../apps/governance-projector/dist/main.js');

let rig: ProjectorRig;
let database: DataSource;
const services: { readonly child: ChildProcess; readonly url: string }[] = [];

beforeAll(async () => {
  rig = await startProjectorRig();
  database = await new DataSource({ type: 'postgres', url: rig.databaseUrl }).initialize();
  await rig.application.close();
  for (let index = 0; index < 2; index += 1) {
    const port = await freePort();
    const env = { PATH: process.env.PATH, ...rig.environment, Agentstration__Http__Port: String(port) };
    services.push({
      child: spawn(process.execPath, [main], { env, cwd: rig.directory, stdio: 'ignore' }),
      url: `http://127.0.0.1:${port}`,
    });
  }
  await Promise.all(services.map(({ url }) => eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { within })));
}, 180_000);
afterAll(async () => {
  for (const { child } of services) child.kill('SIGKILL');
  await database?.destroy();
  await rig?.stop();
});

/** The process that holds the lease; undefined while nobody does. */
async function active() {
  const rows = await database.query<{ owner: string | null }[]>('SELECT owner FROM read_model.generation WHERE generation = 1');
  return services.find(({ child }) => rows[0]?.owner?.includes(`-${child.pid}-`));
}

let calls = 0;
async function publish(): Promise<number> {
  const attempt = attemptFacts({ toolCallId: `call-${(calls += 1)}`, invocationId: `i-${calls}` });
  return rig.publish(demo, attempt.started(), attempt.evaluated(), attempt.completed());
}

const checkpoint = async (): Promise<number> => {
  const rows = await database.query<{ sequence: string }[]>('SELECT sequence FROM read_model.generation WHERE generation = 1');
  return Number(rows[0]!.sequence);
};
const projected = (sequence: number) => eventually(async () => expect(await checkpoint()).toBe(sequence), { within });

describe('a projector that is stopped in its tracks', () => {
  it(verifies('PROJ-003', 'is replaced by the standby, and writes nothing when it comes back'), async () => {
    await projected(await publish());
    const first = (await active())!;
    const second = services.find((service) => service !== first)!;
    first.child.kill('SIGSTOP');
    try {
      await projected(await publish());
      expect(await active()).toBe(second);
    } finally {
      first.child.kill('SIGCONT');
    }
    const stateOfFirst = async () => {
      const { checks } = (await (await fetch(`${first.url}/readyz`)).json()) as { checks: { projection: { details: { state: string } } } };
      return checks.projection.details.state;
    };
    await eventually(async () => expect(await stateOfFirst()).toBe('standby'), { within });
    const newest = await publish();
    await projected(newest);
    expect(await active()).toBe(second);
    const [rows] = await database.query<[{ messages: number; records: number; ended: number }]>(
      `SELECT (SELECT count(*)::int FROM read_model.message_1) AS messages, count(*)::int AS records, count(outcome)::int AS ended FROM read_model.record_1`,
    );
    expect(rows).toEqual({ messages: newest, records: calls, ended: calls });
  });
});
