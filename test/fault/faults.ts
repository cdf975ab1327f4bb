import { setTimeout as sleep } from 'node:timers/promises';
import { requestSubject, runJournalSubject, streams } from '@agentstration/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { workspace } from '../support/system/governance-system.ts';
import type { Fault, FaultRig } from './fault-rig.ts';
import { failpoints } from './failpoints.ts';
import type { ProxyMode } from './tcp-proxy.ts';

/** How long an outage lasts. */
export interface Severity {
  readonly outageMs: number;
}

const network = (what: string, mode: ProxyMode, { outageMs }: Severity): Fault => ({
  name: `F9 network ${what}`,
  inject: async (rig) => {
    rig.network?.set(mode);
    await sleep(outageMs);
    rig.network?.set('pass');
  },
});

/** The broker gets what is lost here, or the executor does, and neither knows. */
const loss = (what: string, pattern: RegExp, to: 'client' | 'server', { outageMs }: Severity): Fault => ({
  name: `F13 ${what} lost`,
  inject: async (rig) => {
    let count = 0;
    const isLost = (text: string): boolean => pattern.test(text) && ++count % 2 === 0;
    rig.network?.set({ loses: ({ bytes }, towards) => towards === to && isLost(bytes.toString('latin1')) });
    await sleep(outageMs);
    rig.network?.set('pass');
    if (count < 2) throw new Error(`Nothing was lost: no message was like ${pattern.source}.`);
  },
});

/** Faults of one broker, one database and their network; each heals by itself or is healed. */
export const singleNodeFaults = (severity: Severity): readonly Fault[] => [
  ...failpoints.map((failpoint) => ({ name: `F1 killed ${failpoint}`, inject: (rig: FaultRig) => rig.killAt(failpoint) })),
  {
    name: 'F4 broker stands still',
    inject: async ({ system: { nats } }) => {
      await nats.suspend();
      await sleep(severity.outageMs);
      nats.resume();
    },
  },
  {
    name: 'F7 broker killed and restarted',
    inject: async ({ system: { nats } }) => {
      await nats.kill();
      await sleep(severity.outageMs);
      await nats.restart();
    },
  },
  {
    name: 'F8 database killed and restarted',
    inject: async ({ system: { postgres } }) => {
      await postgres.kill();
      await sleep(severity.outageMs);
      await postgres.restart();
    },
  },
  network('cut', 'cut', severity),
  network('blackholed', 'blackhole', severity),
  network('slow', { delayMs: 150 }, severity),
  loss('acknowledgements of requests', /^PUB \$JS\.ACK\./, 'server', severity),
  loss('acknowledgements of facts', /"stream":"AGENTSTRATION_JOURNAL", *"seq":/, 'client', severity),
  {
    name: 'F12 wall clock jumps by an hour',
    inject: async (rig) => {
      const jumping = await rig.startExecutor({ AGENTSTRATION_CLOCK_JUMP_MS: '3600000' });
      await sleep(severity.outageMs);
      await rig.drain(jumping);
    },
  },
  {
    name: 'F14 rolling restart',
    inject: async (rig) => {
      const [old] = rig.executors;
      await rig.startExecutor();
      if (old) await rig.drain(old);
    },
  },
  {
    name: 'F18 poison in queue and journal',
    inject: async ({ requester }) => {
      const client = jetstream(requester.connection);
      for (const poison of ['', '[]', 'null', '{"toolCallId":"x"}', '\u0000']) await client.publish(requestSubject(workspace), poison);
      const subject = runJournalSubject({ ...workspace, ownerKind: 'FlowRun', runId: 'poison' });
      await client.publish(subject, 'not a fact');
      await sleep(severity.outageMs / 2);
    },
  },
];

/** F17: the Journal is deleted and made again under the same name. The gate closes and stays closed. */
export async function recreateJournal({ requester }: FaultRig): Promise<void> {
  const manager = await jetstreamManager(requester.connection, { checkAPI: false });
  const { config } = await manager.streams.info(streams.journal);
  await manager.streams.delete(streams.journal);
  await manager.streams.add(config);
}
