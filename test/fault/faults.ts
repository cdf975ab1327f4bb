import { setTimeout as sleep } from 'node:timers/promises';
import { requestSubject, runJournalSubject, streams } from '@agentstration/contracts';
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { workspace } from '../support/system/governance-system.ts';
import type { Fault, FaultRig } from './fault-rig.ts';
import { failpoints } from './failpoints.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** How long a fault lasts in the smoke form. */
const outageMs = 2_000;

const killedAt: readonly Fault[] = failpoints.map((failpoint) => ({
  name: `F1 killed ${failpoint}`,
  inject: (rig: FaultRig) => rig.killAt(failpoint),
}));

/** Runs `work` while the executors reach the broker through a proxy. */
async function behindProxy(rig: FaultRig, work: (proxy: TcpProxy) => Promise<void>): Promise<void> {
  const proxy = await TcpProxy.start(rig.system.nats.port);
  await rig.stopExecutors();
  const behind = await rig.startExecutor({ Agentstration__Nats__Servers__0: `nats://127.0.0.1:${proxy.port}` });
  await work(proxy);
  proxy.set('pass');
  await rig.untilSuccess(`behind-proxy-${proxy.port}`);
  await behind.process.stop({ within: 15_000 });
  rig.executors = [];
  await rig.startExecutor();
  await proxy.stop();
}

/** Faults of one broker, one database and their network; each heals by itself or is healed. */
export const singleNodeFaults: readonly Fault[] = [
  ...killedAt,
  {
    name: 'F4 broker stands still',
    inject: async ({ system: { nats } }) => {
      await nats.suspend();
      await sleep(outageMs);
      nats.resume();
    },
  },
  {
    name: 'F7 broker killed and restarted',
    inject: async ({ system: { nats } }) => {
      await nats.kill();
      await sleep(outageMs);
      await nats.restart();
    },
  },
  {
    name: 'F8 database stopped and started',
    inject: async ({ system: { postgres } }) => {
      await postgres.kill();
      await sleep(outageMs);
      await postgres.restart();
    },
  },
  { name: 'F9 network cut', inject: (rig) => behindProxy(rig, (proxy) => (proxy.set('cut'), sleep(outageMs))) },
  { name: 'F9 network blackholed', inject: (rig) => behindProxy(rig, (proxy) => (proxy.set('blackhole'), sleep(outageMs))) },
  { name: 'F9 network slow', inject: (rig) => behindProxy(rig, (proxy) => (proxy.set({ delayMs: 150 }), sleep(outageMs))) },
  {
    name: 'F13 requests sent twice',
    inject: async ({ requester }) => {
      for (let index = 0; index < 20; index++) {
        const toolCallId = `twice-${index}`;
        const asked = JSON.stringify({
          requestId: toolCallId,
          toolCallId,
          run: { ownerKind: 'RuntimeRun', runId: 'run-1' },
          toolId: 'test.once',
          agentId: 'agent',
          arguments: { call: toolCallId },
        });
        await Promise.all([requester.publish(asked), requester.publish(asked)]);
      }
    },
  },
  {
    name: 'F14 rolling restart',
    inject: async (rig) => {
      for (let round = 0; round < 2; round++) {
        const [old] = rig.executors;
        const next = await rig.startExecutor();
        await old?.process.stop({ within: 15_000 });
        rig.executors = [next];
      }
    },
  },
  {
    name: 'F18 poison in queue and journal',
    inject: async ({ requester }) => {
      const client = jetstream(requester.connection);
      for (const poison of ['', '[]', 'null', '{"toolCallId":"x"}', '\u0000']) await client.publish(requestSubject(workspace), poison);
      const subject = runJournalSubject({ ...workspace, ownerKind: 'FlowRun', runId: 'poison' });
      await client.publish(subject, 'not a fact');
    },
  },
];

/** F17: the Journal is deleted and made again under the same name. The gate closes and stays closed. */
export async function recreateJournal({ requester }: FaultRig): Promise<void> {
  const manager = await jetstreamManager(requester.connection, { checkAPI: false });
  const { config } = await manager.streams.info(streams.journal);
  await manager.streams.delete(streams.journal);
  await manager.streams.add(config);
  try {
    await manager.streams.info(streams.journal);
  } catch (error) {
    if (error instanceof JetStreamApiError) throw new Error('The Journal could not be made again.', { cause: error });
    throw error;
  }
}
