import { setTimeout as sleep } from 'node:timers/promises';
import { requestSubject, runJournalSubject, streams } from '@agentstration/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
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

/** One message in two: whoever tries again gets through. */
function oneInTwo(pattern: RegExp): { readonly strikes: (bytes: Buffer) => boolean; readonly assertStruck: () => void } {
  let count = 0;
  return {
    strikes: (bytes) => pattern.test(bytes.toString('latin1')) && ++count % 2 === 0,
    assertStruck: () => {
      if (count < 2) throw new Error(`Nothing was struck: no message was like ${pattern.source}.`);
    },
  };
}

/** The broker gets what is lost here, or the executor does, and neither knows. */
const loss = (what: string, pattern: RegExp, to: 'client' | 'server', { outageMs }: Severity): Fault => ({
  name: `F13 ${what} lost`,
  inject: async (rig) => {
    const { strikes, assertStruck } = oneInTwo(pattern);
    rig.network?.set({ loses: ({ bytes }, towards) => towards === to && strikes(bytes) });
    await sleep(outageMs);
    rig.network?.set('pass');
    assertStruck();
  },
});

const gateFact = /^HPUB agentstration\.journal\.[^]*ToolExecutionGovernanceEvaluated/;

/** Governance facts are not stored, and acknowledged all the same: as brokers do that have no quorum, or another stream. */
const forgery = (what: string, acknowledgement: Readonly<Record<string, unknown>>, { outageMs }: Severity): Fault => ({
  name: `F3 lying acknowledgement: ${what}`,
  inject: async (rig) => {
    const { strikes, assertStruck } = oneInTwo(gateFact);
    rig.network?.set({ forges: ({ bytes }) => (strikes(bytes) ? JSON.stringify(acknowledgement) : undefined) });
    await sleep(outageMs / 2);
    rig.network?.set('pass');
    assertStruck();
  },
});

/** Broken promises of a broker, each of which one of the deliberate bugs believes. */
const forgeries = (severity: Severity): readonly Fault[] => [
  forgery('sequence 0', { stream: streams.journal, seq: 0 }, severity),
  forgery('sequence 0, duplicate', { stream: streams.journal, seq: 0, duplicate: true }, severity),
  forgery('duplicate', { stream: streams.journal, seq: 1, duplicate: true }, severity),
  forgery('of a recreated stream', { stream: streams.journal, seq: 1 }, severity),
  forgery('of another stream', { stream: streams.requests, seq: Number.MAX_SAFE_INTEGER }, severity),
];

/** How many requests are sent twice at the same moment. */
const pairs = 60;

/** A requester that is not sure sends again at once, and both are taken up at the same time. */
const twins: Fault = {
  name: 'F13 requests come twice at once',
  inject: async ({ parties }, workload) => {
    for (let count = 0; count < pairs; count++) {
      const entry = workload.ask('local.slow', { ms: 50 }, parties[count % parties.length]);
      workload.send(entry);
      await sleep(5);
    }
  },
};

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
  loss('facts', /^HPUB agentstration\.journal\./, 'server', severity),
  twins,
  ...forgeries(severity),
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
      const { scope } = requester;
      for (const poison of ['', '[]', 'null', '{"toolCallId":"x"}', '\u0000']) await client.publish(requestSubject(scope), poison);
      const subject = runJournalSubject({ ...scope, ownerKind: 'FlowRun', runId: 'poison' });
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
