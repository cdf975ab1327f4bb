import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { requestSubject, streams } from '@agentstration/contracts';
import { requestConsumerName } from '@agentstration/journal';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { GovernanceSystem, workspace } from '../support/system/governance-system.ts';
import { type Requester, request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';

const waiting = 5_000;
const seconds = 4;

let system: GovernanceSystem;
let requester: Requester;
beforeAll(async () => {
  system = await GovernanceSystem.start({ tools: { slow: {} } });
  requester = await system.requester();
}, 60_000);
afterAll(() => system?.stop());

/** How often the broker has delivered a request so far. */
const deliveries = async (): Promise<number> => {
  const manager = await jetstreamManager(requester.connection, { checkAPI: false });
  return (await manager.consumers.info(streams.requests, requestConsumerName)).delivered.consumer_seq;
};
const done = async (): Promise<number> => (await system.oracle()).length;
/** Processor time of a process so far, in milliseconds: proc(5), `/proc/<pid>/stat`, fields 14 and 15. */
const processorMs = async (pid: number): Promise<number> => {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

it(
  verifies(['REQ-008', 'REQ-013'], 'thousands of waiting requests of one Workspace do not slow another, and cost little'),
  async () => {
    const executor = await system.startExecutor();
    const other = await system.requester({ tenantId: 'acme', workspaceId: 'other' });
    const client = jetstream(requester.connection);
    const asked = Array.from({ length: waiting }, (_, index) => request(`call-${index}`, 'slow', { arguments: { ms: 1_000 } }));
    for (let from = 0; from < waiting; from += 500)
      await Promise.all(asked.slice(from, from + 500).map((each) => client.publish(requestSubject(workspace), JSON.stringify(each))));
    // The broker delivers in order: once it has shown every waiting request to an executor, it comes to the other Workspace.
    await other.call(request('behind', 'ok'));
    const times: number[] = [];
    for (let index = 0; index < 30; index++) times.push(await timed(() => other.call(request(`other-${index}`, 'ok'))));
    times.sort((left, right) => left - right);
    expect(times[15]).toBeLessThan(100);
    expect(times.at(-1)).toBeLessThan(1_000);

    const from = { deliveries: await deliveries(), processorMs: await processorMs(executor.process.pid), done: await done() };
    await delay(seconds * 1_000);
    expect(((await deliveries()) - from.deliveries) / seconds).toBeLessThan(500);
    expect(((await processorMs(executor.process.pid)) - from.processorMs) / 1_000 / seconds).toBeLessThan(0.5);
    // 16 places, a second each.
    expect(((await done()) - from.done) / seconds).toBeGreaterThan(8);
  },
  60_000,
);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
