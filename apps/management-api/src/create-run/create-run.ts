import type { Fault, OwnerKind, Scope, ToolRequest } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { NewRun, OutboxMessage, RunStore, StoredRun } from '@agentstration/store';
import { type FactStamp, runCreatedMessage, toolRequestMessage } from '../runs/run-messages.ts';

/** What is asked for, after its shape was checked. */
export interface RunOrder {
  readonly runId?: string;
  readonly ownerKind?: OwnerKind;
  readonly agentId?: string;
  readonly toolCalls?: readonly { readonly toolId: string; readonly arguments?: Readonly<Record<string, unknown>> }[];
  readonly execution?: { readonly persistToolArguments?: boolean | null };
}

export interface CreateRunPorts {
  readonly runs: Pick<RunStore, 'create'>;
  /** A new UUIDv7. */
  readonly newId: () => string;
  readonly stamp: () => FactStamp;
  /** The broker's `max_payload`, in bytes: what one request may take. */
  readonly maximumRequestBytes: () => number;
  /** Messages wait in the outbox: send them now. */
  readonly nudge: () => void;
}

export interface CreateRun {
  readonly scope: Scope;
  readonly order: RunOrder;
  readonly by: string;
  readonly retryOf?: string;
}

/**
 * Stores a Run together with everything that leaves because of it: `RunCreated` and, for a manual Run, one request per
 * tool call under a fixed `requestId`. The arguments stand in the requests alone.
 */
export async function createRun(ports: CreateRunPorts, create: CreateRun): Promise<StoredRun> {
  const { order } = create;
  refuseContradictions(order);
  const toolCalls = (order.toolCalls ?? []).map(({ toolId }, index) => ({
    toolCallId: `call-${index + 1}`,
    toolId,
    requestId: ports.newId(),
  }));
  const run: NewRun = {
    ...create.scope,
    ownerKind: order.ownerKind ?? 'RuntimeRun',
    runId: order.runId ?? ports.newId(),
    agentId: order.agentId ?? null,
    principalId: create.by,
    persistToolArguments: order.execution?.persistToolArguments ?? null,
    retryOf: create.retryOf ?? null,
    toolCalls,
  };
  const requests = toRequests(run, order);
  refuseTooLarge(requests, ports.maximumRequestBytes());
  const outcome = await ports.runs.create(run, [runCreatedMessage(run, ports.stamp()), ...requests]);
  if (outcome.kind === 'already_exists') throw new ProblemError('already_exists', 'There is a run of that owner kind and id already');
  ports.nudge();
  return outcome.run;
}

function toRequests(run: NewRun, order: RunOrder): OutboxMessage[] {
  return run.toolCalls.map(({ toolCallId, toolId, requestId }, index) => {
    const request: ToolRequest & { readonly requestId: string } = {
      requestId,
      toolCallId,
      run: { ownerKind: run.ownerKind, runId: run.runId },
      toolId,
      agentId: run.agentId ?? '',
      arguments: order.toolCalls?.[index]?.arguments ?? {},
      principalId: run.principalId,
    };
    return toolRequestMessage(run, request);
  });
}

/** What each property alone cannot say. */
function refuseContradictions(order: RunOrder): void {
  const manual = order.toolCalls !== undefined;
  const faults: Fault[] = [];
  const fault = (property: string, code: string, message: string) => void faults.push({ pointer: `/${property}`, code, message });
  if (!manual && order.ownerKind === undefined)
    fault('toolCalls', 'required', 'is required, unless ownerKind registers a run that is executed elsewhere');
  if (manual && order.ownerKind === 'FlowRun')
    fault('ownerKind', 'not_allowed', 'must be RuntimeRun or absent: a manual run is a RuntimeRun');
  if (manual && order.agentId === undefined)
    fault('agentId', 'required', 'is required: a call without an agent could slip past an agent selector');
  if (!manual && order.ownerKind !== undefined && order.runId === undefined)
    fault('runId', 'required', 'is required: a run that is executed elsewhere has its id already');
  if (faults.length > 0) throw new ProblemError('invalid_definition', 'The run contradicts itself', { errors: faults });
}

function refuseTooLarge(requests: readonly OutboxMessage[], maximumBytes: number): void {
  const errors = requests.flatMap(({ payload }, index): Fault[] =>
    Buffer.byteLength(payload) <= maximumBytes
      ? []
      : [{ pointer: `/toolCalls/${index}/arguments`, code: 'too_large', message: `must fit a request of ${maximumBytes} bytes` }],
  );
  if (errors.length > 0) throw new ProblemError('invalid_definition', 'The arguments do not fit a request', { errors });
}
