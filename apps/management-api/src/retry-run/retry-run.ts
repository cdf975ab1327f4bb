import type { Fault, RunKey } from '@agentstration/contracts';
import { parseStrictJson } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { RunStore, RunToolCall, StoredRun } from '@agentstration/store';
import { type CreateRunPorts, createRun } from '../create-run/create-run.ts';
import { runNotFound } from '../runs/run-address.ts';
import type { RetainedText, RunProgress } from '../runs/run-ports.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments given again: for the call named by `toolCallId`, else for the call at the same place. */
export interface RetryOrder {
  readonly runId?: string;
  readonly toolCalls?: readonly { readonly toolCallId?: string; readonly toolId?: string; readonly arguments?: Arguments }[];
}

export interface RetryRunPorts extends CreateRunPorts {
  readonly runs: Pick<RunStore, 'create' | 'get'>;
  readonly progress: Pick<RunProgress, 'retainedArguments'>;
}

/**
 * A new Run with the same agent, tool calls and execution options. Arguments come from the order, else from what the
 * Journal retained whole.
 *
 * @throws ProblemError `arguments_not_retained` naming the calls whose arguments must be given.
 */
export async function retryRun(ports: RetryRunPorts, key: RunKey, { order, by }: { order: RetryOrder; by: string }): Promise<StoredRun> {
  const original = await ports.runs.get(key);
  if (!original) throw runNotFound();
  if (original.toolCalls.length === 0) throw new ProblemError('conflict', 'The run was executed elsewhere: only its owner can retry it');
  const given = matchGiven(original.toolCalls, order);
  const retained = given.size === original.toolCalls.length ? new Map<string, RetainedText>() : await ports.progress.retainedArguments(key);
  const toolCalls = original.toolCalls.map((call) => ({
    toolId: call.toolId,
    arguments: given.get(call.toolCallId) ?? readRetained(retained.get(call.toolCallId)),
  }));
  const missing = original.toolCalls.filter((_, index) => toolCalls[index]?.arguments === undefined).map(({ toolCallId }) => toolCallId);
  if (missing.length > 0)
    throw new ProblemError('arguments_not_retained', `Give the arguments again in toolCalls, for ${missing.join(', ')}`);
  return createRun(ports, {
    scope: { tenantId: key.tenantId, workspaceId: key.workspaceId },
    order: {
      ...(order.runId === undefined ? {} : { runId: order.runId }),
      ...(original.agentId === null ? {} : { agentId: original.agentId }),
      toolCalls: toolCalls.map((call) => ({ toolId: call.toolId, arguments: call.arguments ?? {} })),
      execution: { persistToolArguments: original.persistToolArguments },
    },
    by,
    retryOf: original.runId,
  });
}

function matchGiven(calls: readonly RunToolCall[], order: RetryOrder): ReadonlyMap<string, Arguments> {
  const given = new Map<string, Arguments>();
  const faults: Fault[] = [];
  for (const [index, entry] of (order.toolCalls ?? []).entries()) {
    const call = entry.toolCallId === undefined ? calls[index] : calls.find(({ toolCallId }) => toolCallId === entry.toolCallId);
    const pointer = `/toolCalls/${index}`;
    if (!call) faults.push({ pointer, code: 'not_allowed', message: 'must belong to a tool call of the run' });
    else if (entry.toolId !== undefined && entry.toolId !== call.toolId)
      faults.push({
        pointer: `${pointer}/toolId`,
        code: 'not_allowed',
        message: 'must be the tool of the run’s call: a retry calls the same tools',
      });
    else if (entry.arguments !== undefined) given.set(call.toolCallId, entry.arguments);
  }
  if (faults.length > 0) throw new ProblemError('invalid_definition', 'The retry does not fit its run', { errors: faults });
  return given;
}

/** Retained text is the exact JSON that the provider received, or only its beginning. */
function readRetained(text: RetainedText | undefined): Arguments | undefined {
  return text === undefined || text.truncated ? undefined : (parseStrictJson(text.json) as Arguments);
}
