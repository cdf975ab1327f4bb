import { streams } from '@agentstration/contracts';
import { requestConsumerName } from '@agentstration/journal';
import { eventually, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { loadConfiguration } from '@agentstration/service-kit';
import { provision } from '@agentstration/tool-executor';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { type ExecutorProcess, launchExecutor } from '../support/system/executor-process.ts';
import { GovernanceSystem } from '../support/system/governance-system.ts';
import { type Requester, request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';

interface Readyz {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ready: boolean; readonly reason?: string }>>;
}
/** The checks of `/readyz`, once they are as wanted. */
const checks = (executor: ExecutorProcess, wanted: object): Promise<void> =>
  eventually(async () => expect((JSON.parse((await executor.readiness()).text) as Readyz).checks).toMatchObject(wanted), {
    within: 10_000,
    every: 50,
  });
const saying = (reason: RegExp) => ({ ready: false, reason: expect.stringMatching(reason) as unknown });

describe('an executor before provisioning', () => {
  it(
    verifies(['START-001', 'START-002'], 'starts, says what to do, and takes requests once it is done'),
    async () => {
      const [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
      const environment = {
        PATH: process.env.PATH,
        Agentstration__Nats__Servers__0: nats.url,
        Agentstration__Database__Url: await postgres.createDatabase('fresh'),
        Agentstration__Authentication__Mode: 'Development',
      };
      const executor = await launchExecutor(environment);
      try {
        await eventually(async () => expect((await executor.readiness()).status).toBe(503), { within: 10_000 });
        await checks(executor, {
          journal: saying(/no stream AGENTSTRATION_JOURNAL.*Run the provisioning/),
          'request-queue': saying(/no stream AGENTSTRATION_REQUESTS.*Run the provisioning/),
          'dead-letters': saying(/no stream AGENTSTRATION_DEAD_LETTERS.*Run the provisioning/),
          'governance-store': saying(/database cannot be read/),
        });
        await provision(loadConfiguration({ environment }));
        await eventually(async () => expect((await executor.readiness()).status).toBe(200), { within: 10_000 });
      } finally {
        await executor.process.stop();
        await Promise.all([nats.stop(), postgres.stop()]);
      }
    },
    60_000,
  );
});

describe('an executor whose queue is not as it relies on', () => {
  let system: GovernanceSystem;
  let requester: Requester;
  beforeAll(async () => {
    system = await GovernanceSystem.start();
    requester = await system.requester();
  }, 60_000);
  afterAll(() => system?.stop());

  it(verifies('START-003', 'names a consumer with another acknowledgement wait, and takes no request'), async () => {
    const executor = await launchExecutor({ ...system.environment, Agentstration__ToolExecution__AckWaitMs: '5000' });
    try {
      await eventually(async () => expect((await executor.readiness()).status).toBe(503), { within: 10_000 });
      await checks(executor, { 'request-queue': saying(/ack_wait 1000 ms, ToolExecution:AckWaitMs is 5000\. Set AckWaitMs to 1000/) });
      await requester.publish(request('waits', 'ok'));
      expect(await requester.story('waits')).toBe('');
    } finally {
      await executor.process.stop();
    }
    const refused = { ...system.environment, Agentstration__ToolExecution__AckWaitMs: '5000' };
    await expect(provision(loadConfiguration({ environment: refused }))).rejects.toThrow(/ack_wait/);
  });

  it(
    verifies('START-002', 'misses a consumer that is deleted under it, and takes up what waited once it is there again'),
    async () => {
      const executor = await system.startExecutor();
      expect(await requester.result(request('waits', 'ok'))).toMatchObject({ outcome: 'Succeeded' });
      const manager = await jetstreamManager(requester.connection, { checkAPI: false });
      await manager.consumers.delete(streams.requests, requestConsumerName);
      const asked = request('after-deletion', 'ok');
      await requester.publish(asked);
      await checks(executor, { 'request-queue': saying(/no consumer tool-executor\. Run the provisioning/) });
      await provision(loadConfiguration({ environment: system.environment }));
      await checks(executor, { 'request-queue': { ready: true } });
      expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded', attempt: 1 });
      await executor.process.stop();
    },
    40_000,
  );
});

describe('an executor whose dead letters are deleted under it', () => {
  it(
    verifies('START-005', 'says so, keeps a bad request until they are there again, and serves the others'),
    async () => {
      const system = await GovernanceSystem.start();
      try {
        const executor = await system.startExecutor();
        const requester = await system.requester();
        const manager = await jetstreamManager(requester.connection, { checkAPI: false });
        await manager.streams.delete(streams.deadLetters);
        await checks(executor, { 'dead-letters': saying(/no stream AGENTSTRATION_DEAD_LETTERS\. Run the provisioning/) });
        expect((await executor.readiness()).status).toBe(503);
        await requester.publish('not a request');
        await requester.publish(request('good', 'ok'));
        expect(await requester.result(request('good', 'ok'))).toMatchObject({ outcome: 'Succeeded' });
        await eventually(async () => expect(await requester.queued()).toBe(1));
        await provision(loadConfiguration({ environment: system.environment }));
        await checks(executor, { 'dead-letters': { ready: true } });
        await eventually(async () => expect(await requester.queued()).toBe(0), { within: 20_000 });
        expect(await requester.lastDeadLetter()).toMatchObject({ size: 'not a request'.length });
      } finally {
        await system.stop();
      }
    },
    60_000,
  );
});

describe('an executor that is stopped while its Journal is missing', () => {
  it(
    verifies('REQ-017', 'says what it waits for, and what it leaves when its grace period ends'),
    async () => {
      const system = await GovernanceSystem.start({ tools: { slow: {} } });
      try {
        const executor = await system.startExecutor({ Agentstration__ToolExecution__GracePeriodMs: '1500' });
        const requester = await system.requester();
        await requester.publish(request('unrecorded', 'slow', { arguments: { ms: 3_000 } }));
        await eventually(async () => expect(await system.oracle()).toHaveLength(1), { within: 10_000 });
        const manager = await jetstreamManager(requester.connection, { checkAPI: false });
        await manager.streams.delete(streams.journal);
        await executor.process.stop({ within: 20_000 });
        const log = executor.process.output();
        expect(log).toMatch(/"requests":1,"gracePeriodMs":1500.*stopping: waiting for the requests in hand to end/);
        expect(log).toMatch(/"requests":1.*the grace period is over: requests whose outcome could not be recorded are left for redelivery/);
        expect(await requester.queued()).toBe(1);
      } finally {
        await system.stop();
      }
    },
    60_000,
  );
});

describe('a full Journal', () => {
  it(
    verifies('START-004', 'says what to do, and heals by provisioning a larger one: nothing is lost, and nothing called twice'),
    async () => {
      const bytes = (mebibytes: number) => ({ Agentstration__Journal__MaximumBytes: String(mebibytes * 1024 * 1024) });
      const system = await GovernanceSystem.start({ environment: { ...bytes(1), Agentstration__ToolExecution__PersistArguments: 'true' } });
      try {
        const [executor] = [await system.startExecutor(), await system.startExecutor()];
        const requester = await system.requester();
        const filling = Array.from({ length: 70 }, (_, index) =>
          request(`fill-${index}`, 'ok', { arguments: { text: 'x'.repeat(16_000) } }),
        );
        for (const each of filling) await requester.publish(each);
        await checks(executor, {
          journal: saying(/The Journal is full but for its reserve.*Raise Journal:MaximumBytes and run the provisioning/),
        });
        expect(await requester.queued()).toBeGreaterThan(0);
        // What began has ended: the reserve held, and nothing needs to be told again or called again.
        const ended = await eventually(async () => {
          const names = (await requester.journal()).map(({ fact }) => fact.type);
          const count = (name: string) => names.filter((type) => type === `io.agentstration.${name}.v1`).length;
          expect(count('ToolExecutionCompleted')).toBe(count('ToolExecutionStarted'));
          return count('ToolExecutionCompleted');
        });
        expect(await system.oracle()).toHaveLength(ended);
        await provision(loadConfiguration({ environment: { ...system.environment, ...bytes(64) } }));
        for (const each of filling) expect(await requester.result(each)).toMatchObject({ outcome: 'Succeeded' });
        await eventually(async () => expect((await executor.readiness()).status).toBe(200), { within: 20_000 });
        expect(await system.oracle()).toHaveLength(filling.length);
      } finally {
        await system.stop();
      }
    },
    60_000,
  );
});
