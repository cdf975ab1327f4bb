import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../support/verifies.ts';
import { type Answered, type ManagementRig, hook, startManagement } from './management-rig.ts';

let rig: ManagementRig;
beforeAll(async () => void (rig = await startManagement()), 240_000);
afterAll(() => rig?.stop());

const path = '/api/toolexecutionhooks/steady';
const ready = async () => (await rig.call('GET', '/readyz', { token: null })).status;

/** The gauges of the connection pool. */
async function connections(): Promise<Record<string, number>> {
  const { text } = await rig.call('GET', '/metrics', { token: null });
  const gauges = text.matchAll(/agentstration_management_database_connections\{state="(\w+)"\} (\d+)/g);
  return Object.fromEntries([...gauges].map(([, state = '', count]) => [state, Number(count)]));
}

describe('PostgreSQL goes away under load', () => {
  it(
    verifies('API-004', 'answers are 503 with Retry-After, and all is well again without a restart'),
    async () => {
      await rig.call('POST', '/api/toolexecutionhooks', { body: hook('steady') });
      const answers: Answered[] = [];
      let stop = false;
      const load = Array.from({ length: 20 }, async (_, writer) => {
        while (!stop) {
          const read = await rig.call('GET', path);
          answers.push(read);
          if (writer % 4 !== 0 || read.status !== 200) continue;
          answers.push(await rig.call('PUT', path, { body: hook('steady', { order: writer }), headers: { 'If-Match': read.etag } }));
        }
      });

      await eventually(() => expect(answers.length).toBeGreaterThan(100));
      await rig.postgres.kill();
      await eventually(() => expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(20));
      expect(await ready()).toBe(503);
      await rig.postgres.restart();
      const before = answers.length;
      await eventually(() => expect(answers.slice(before).filter(({ status }) => status === 200).length).toBeGreaterThan(50), {
        within: 90_000,
      });
      stop = true;
      await Promise.all(load);

      expect([...new Set(answers.map(({ status }) => status))].filter((status) => ![200, 412, 503].includes(status))).toEqual([]);
      for (const { status, headers, body } of answers.filter((answer) => answer.status === 503)) {
        expect([status, body.code, Number(headers.get('retry-after'))]).toEqual([503, 'unavailable', expect.any(Number)]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await eventually(async () => expect(await ready()).toBe(200));
      await eventually(async () => expect(await connections()).toMatchObject({ used: 0, waiting: 0 }));
      expect((await connections()).idle).toBeGreaterThan(0);
      // A write that was answered stands, and generations went on without a gap.
      const { body } = await rig.call('GET', `${path}/generations?limit=200`);
      const { metadata } = (await rig.call('GET', path)).body;
      expect(body.items[0]?.generation).toBe(metadata.generation);
    },
    240_000,
  );
});
