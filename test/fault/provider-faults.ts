import type { ToolResult } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import type { Fault } from './fault-rig.ts';
import type { HistoryEntry, Workload } from './workload.ts';

const withinMs = 20_000;

async function ended({ request }: HistoryEntry, workload: Workload): Promise<ToolResult> {
  return eventually(
    () => {
      const result = workload.resultOf(request.toolCallId);
      if (!result) throw new Error(`${request.toolCallId} has no result yet.`);
      return result;
    },
    { within: withinMs, every: 20 },
  );
}

/** Asks once, while the load goes on, and compares what the requester is told: `Unknown provider_connection_lost`, `Succeeded`. */
const asks = (name: string, { tool, given = {}, told }: { tool: string; given?: Record<string, unknown>; told: RegExp }): Fault => ({
  name,
  inject: async (_rig, workload) => {
    const result = await ended(workload.ask(tool, { arguments: given }), workload);
    const heard = [result.outcome, result.failure?.code, result.resultOmitted].filter(Boolean).join(' ');
    if (!told.test(heard)) throw new Error(`${name}: the requester was told "${heard}" instead of ${told.source}.`);
  },
});

/** F10, F11: an MCP server that is slow, dies, or answers what nobody can use. */
export const providerFaults = (ackWaitMs: number): readonly Fault[] => [
  asks('F10 slow for 3 acknowledgement waits', { tool: 'slow', given: { ms: 3 * ackWaitMs }, told: /^Succeeded$/ }),
  asks('F11 server dies after executing', { tool: 'die-after-execute', told: /^Unknown provider_/ }),
  asks('F11 result of 2 MiB', { tool: 'big', given: { bytes: 2 * 1024 * 1024 }, told: /^Succeeded too_large$/ }),
  asks('F11 result of 12 MiB', { tool: 'big', given: { bytes: 12 * 1024 * 1024 }, told: /provider_result_too_large|^Failed|^Unknown/ }),
  asks('F11 tool list changes', { tool: 'mutate-tools', told: /^Succeeded$/ }),
];
