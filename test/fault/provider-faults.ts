import type { ToolResult } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { callsOf } from './evidence.ts';
import type { Fault, FaultRig } from './fault-rig.ts';
import { nameOf } from './scopes.ts';
import { type HistoryEntry, type Workload, keyOf } from './workload.ts';

const withinMs = 60_000;
const mebibyte = 1024 * 1024;

const ended = (entry: HistoryEntry): Promise<ToolResult> =>
  eventually(
    () => {
      if (!entry.result) throw new Error(`${entry.request.toolCallId} has no result yet.`);
      return entry.result;
    },
    { within: withinMs, every: 20 },
  );

/** What its requester is told of one call in words: `Unknown provider_connection_lost`, `Succeeded too_large`. */
const wordsOf = ({ outcome, failure, resultOmitted }: ToolResult): string =>
  [outcome, failure?.code, resultOmitted].filter(Boolean).join(' ');

/** One call of a tool that misbehaves. */
interface Misbehaviour {
  readonly toolId: string;
  readonly given?: Readonly<Record<string, unknown>>;
  /** What the requester must be told. */
  readonly told: RegExp;
  /** How often the oracle must have seen it. */
  readonly calls: number;
}

async function misbehaves(rig: FaultRig, workload: Workload, { toolId, given, told, calls }: Misbehaviour): Promise<void> {
  const entry = workload.ask(toolId, given);
  const heard = wordsOf(await ended(entry));
  if (!told.test(heard)) throw new Error(`${toolId}: the requester was told "${heard}" instead of ${told.source}.`);
  const key = keyOf(nameOf(entry.party.scope), entry.request.toolCallId);
  const seen = callsOf(await rig.oracle()).filter((call) => call.key === key).length;
  if (seen !== calls) throw new Error(`${toolId} was called ${seen} times instead of ${calls}.`);
}

/** Asks once, while the load goes on. */
const asks = (name: string, misbehaviour: Misbehaviour): Fault => ({
  name,
  inject: (rig, workload) => misbehaves(rig, workload, misbehaviour),
});

/** Asks until a call of this tool succeeds: a provider that failed is left alone for a while. */
async function worksAgain(workload: Workload, toolId: string): Promise<void> {
  await eventually(
    async () => {
      const entry = workload.ask(toolId);
      const result = await ended(entry);
      if (result.outcome !== 'Succeeded') throw new Error(`${toolId} still fails: ${wordsOf(result)}`);
    },
    { within: withinMs, every: 100 },
  );
}

/** A tool that appears in the list of a running server is none of the Workspace's until it is discovered and enabled. */
const listChanges = (name: string, provider: string): Fault => ({
  name,
  inject: async (rig, workload) => {
    await misbehaves(rig, workload, { toolId: `${provider}.mutate-tools`, told: /^Succeeded$/, calls: 1 });
    await misbehaves(rig, workload, { toolId: `${provider}.added-0`, told: /tool_not_found$/, calls: 0 });
  },
});

const stdioFaults: readonly Fault[] = [
  asks('F11 stdio server dies after executing', {
    toolId: 'local.die-after-execute',
    told: /^Unknown provider_connection_lost$/,
    calls: 1,
  }),
  asks('F11 stdio result of 2 MiB', { toolId: 'local.big', given: { bytes: 2 * mebibyte }, told: /^Succeeded too_large$/, calls: 1 }),
  asks('F11 stdio result of 12 MiB', {
    toolId: 'local.big',
    given: { bytes: 12 * mebibyte },
    told: /^(?:Failed|Unknown) provider_/,
    calls: 1,
  }),
  listChanges('F11 stdio tool list changes', 'local'),
];

const httpFaults: readonly Fault[] = [
  {
    name: 'F11 HTTP server dies after executing, then forgot every session',
    inject: async (rig, workload) => {
      await misbehaves(rig, workload, { toolId: 'remote.die-after-execute', told: /^Unknown provider_connection_lost$/, calls: 1 });
      await rig.remote.restart();
      await worksAgain(workload, 'remote.ok');
    },
  },
  asks('F11 HTTP answer ends early', { toolId: 'remote.sse-eof', told: /^Unknown provider_connection_lost$/, calls: 1 }),
  asks('F11 HTTP connection reset', { toolId: 'remote.sse-cut', told: /^Unknown provider_connection_lost$/, calls: 1 }),
  {
    // The server refuses the first such call of its life as one of a session that it does not know.
    name: 'F11 HTTP session lost',
    inject: async (rig, workload) => {
      await rig.remote.restart();
      await worksAgain(workload, 'remote.ok');
      await misbehaves(rig, workload, { toolId: 'remote.session-gone-once', told: /^Succeeded$/, calls: 1 });
    },
  },
  asks('F11 HTTP session lost twice', { toolId: 'remote.session-gone', told: /^Failed provider_unavailable$/, calls: 0 }),
  {
    name: 'F11 HTTP redirect',
    inject: async (rig, workload) => {
      await misbehaves(rig, workload, { toolId: 'remote.redirect', told: /^(?:Failed|Unknown) provider_/, calls: 0 });
      if ((await rig.oracle()).some(({ event }) => event === 'redirected')) throw new Error('The redirect was followed.');
    },
  },
  asks('F11 HTTP result of 2 MiB', { toolId: 'remote.big', given: { bytes: 2 * mebibyte }, told: /^Succeeded too_large$/, calls: 1 }),
  asks('F11 HTTP result of 12 MiB', {
    toolId: 'remote.big',
    given: { bytes: 12 * mebibyte },
    told: /^Failed provider_result_too_large$/,
    calls: 1,
  }),
  listChanges('F11 HTTP tool list changes', 'remote'),
];

/** F10, F11: an MCP server, over stdio and over HTTP, that is slow, dies, or answers what nobody can use. */
export const providerFaults = (ackWaitMs: number): readonly Fault[] => [
  asks('F10 slow for 3 acknowledgement waits', { toolId: 'local.slow', given: { ms: 3 * ackWaitMs }, told: /^Succeeded$/, calls: 1 }),
  ...stdioFaults,
  ...httpFaults,
];
