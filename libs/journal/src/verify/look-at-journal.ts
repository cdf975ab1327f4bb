import { streams } from '@agentstration/contracts';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { describeDifference, differences, journalProperties } from './journal-properties.ts';

/** What a look at the stream found: its own account, or why there is none. */
export type Sight = { readonly info: StreamInfo } | { readonly info?: undefined; readonly missing: boolean; readonly reason: string };

/** Asks the leader for the stream's configuration and state. Never rejects. */
export async function lookAtJournal(manager: JetStreamManager): Promise<Sight> {
  try {
    return { info: await manager.streams.info(streams.journal) };
  } catch (error) {
    const missing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    const reason = error instanceof Error ? error.message : 'no answer';
    return { missing, reason: missing ? `There is no stream ${streams.journal}` : `The Journal does not answer: ${reason}` };
  }
}

/** Each property that the gate cannot rely on, and what to do. */
export const findFaults = (info: StreamInfo): readonly string[] =>
  differences(info.config, journalProperties).map(
    (difference) => `${describeDifference(difference)}. ${remedies[difference.property] ?? correct}`,
  );

const correct = 'Correct the stream by hand; no service and no provisioning changes it.';
const remedies: Readonly<Record<string, string>> = {
  sealed: 'A sealed stream takes no facts and cannot be unsealed: restore the Journal from a backup into a new stream.',
};

/** The brokers that hold the Journal. One broker on its own names itself only in its greeting. */
export const holdersOf = (info: StreamInfo, greeting: string | undefined): readonly string[] =>
  [info.cluster?.leader ?? greeting, ...(info.cluster?.replicas ?? []).map((replica) => replica.name)].filter((name) => name !== undefined);
