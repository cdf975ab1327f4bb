import {
  type FactOf,
  type RunFactName,
  type RunKey,
  type ToolRequest,
  cloudEventType,
  requestSubject,
  runJournalSubject,
} from '@agentstration/contracts';
import type { NewRun, OutboxMessage } from '@agentstration/store';

/** When a fact is made, by whom, under which id. */
export interface FactStamp {
  readonly id: string;
  readonly time: string;
  readonly source: string;
}

const scopeOf = ({ tenantId, workspaceId }: RunKey) => ({ tenantId, workspaceId });

/** The outbox message of a fact of a Run. Its bytes are fixed here, so that a resend is recognised as the same fact. */
export function runFactMessage<Name extends RunFactName>(
  run: RunKey,
  fact: { name: Name; data: FactOf<Name>['data']; stamp: FactStamp },
): OutboxMessage {
  const { id, time, source } = fact.stamp;
  const event: FactOf<Name> = {
    specversion: '1.0',
    id,
    source,
    type: cloudEventType(fact.name),
    subject: run.runId,
    time,
    datacontenttype: 'application/json',
    data: fact.data,
  };
  return { ...scopeOf(run), messageId: id, kind: 'fact', subject: runJournalSubject(run), payload: JSON.stringify(event) };
}

export const runCreatedMessage = (run: NewRun, stamp: FactStamp): OutboxMessage =>
  runFactMessage(run, {
    name: 'RunCreated',
    stamp,
    data: {
      ownerKind: run.ownerKind,
      runId: run.runId,
      ...(run.agentId === null ? {} : { agentId: run.agentId }),
      principalId: run.principalId,
      ...(run.retryOf === null ? {} : { retryOf: run.retryOf }),
    },
  });

export const runCancelledMessage = (run: RunKey, principalId: string, stamp: FactStamp): OutboxMessage =>
  runFactMessage(run, { name: 'RunCancelled', stamp, data: { ownerKind: run.ownerKind, runId: run.runId, principalId } });

/** The outbox message that asks for one Tool Call. `requestId` is fixed: a resend is the same Request. */
export function toolRequestMessage(run: NewRun, request: ToolRequest & { readonly requestId: string }): OutboxMessage {
  const payload = JSON.stringify(request);
  return { ...scopeOf(run), messageId: request.requestId, kind: 'tool-request', subject: requestSubject(run), payload };
}
