import type { Fault, OwnerKind, Scope, ToolRequest } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { NewRun, OutboxMessage, RunStore, StoredRun } from '@agentstration/store';
import { type FactStamp, runCreatedMessage, toolRequestMessage } from '../runs/run-messages.ts';

/** What is asked for, as `validateRunOrder` lets it pass. */
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

function refuseTooLarge(requests: readonly OutboxMessage[], maximumBytes: number): void {
  const errors = requests.flatMap(({ payload }, index): Fault[] =>
    Buffer.byteLength(payload) <= maximumBytes
      ? []
      : [{ pointer: `/toolCalls/${index}/arguments`, code: 'too_large', message: `must fit a request of ${maximumBytes} bytes` }],
  );
  if (errors.length > 0) throw new ProblemError('invalid_definition', 'The arguments do not fit a request', { errors });
}
