import { randomUUID } from 'node:crypto';
import {
  type CompletedData,
  type Evaluation,
  type Fact,
  type FactName,
  type FactOf,
  type FailedData,
  type GovernanceEvaluatedData,
  type RunFactData,
  type Scope,
  type ToolFactData,
  cloudEventType,
  runJournalSubject,
  toolCallJournalSubject,
} from '@agentstration/contracts';

const call: Omit<ToolFactData, 'invocationId'> = {
  ownerKind: 'RuntimeRun',
  runId: 'run-42',
  toolCallId: 'call_9',
  attempt: 1,
  requestId: 'request-1',
  toolId: 'everything.echo',
  toolName: 'echo',
  providerId: 'everything',
  externalToolId: 'echo',
  agentId: 'support-agent',
};

/** The facts of one attempt, valid unless a test makes them otherwise. */
export function attemptFacts(identity: Partial<ToolFactData> = {}) {
  const data: ToolFactData = { ...call, invocationId: randomUUID(), ...identity };
  return {
    started: (time?: string) => toFact('ToolExecutionStarted', data, time),
    evaluated: (evaluations: readonly Evaluation[] = [], more: Partial<GovernanceEvaluatedData> = {}, time?: string) =>
      toFact('ToolExecutionGovernanceEvaluated', { ...data, evaluations, delivery: 'AtLeastOnce', ...more }, time),
    completed: (more: Partial<CompletedData> = {}, time?: string) =>
      toFact('ToolExecutionCompleted', { ...data, durationMs: 12.5, toolReportedError: false, ...more }, time),
    failed: (more: Partial<FailedData> = {}, time?: string) => toFact('ToolExecutionFailed', { ...data, ...failure, ...more }, time),
  };
}

const failure = {
  durationMs: 3,
  failureKind: 'Provider',
  outcome: 'Failed',
  errorCode: 'provider_error',
  errorType: 'ProviderError',
  final: true,
} as const;

/** How an executor closes an attempt whose executor died after an allowed governance fact. */
export const abandoned = {
  durationMs: 0,
  failureKind: 'Provider',
  outcome: 'Unknown',
  errorCode: 'attempt_abandoned',
  errorType: 'AttemptAbandoned',
  final: false,
} as const satisfies Partial<FailedData>;

export const runFact = (name: 'RunCreated' | 'RunCancelled', data: Partial<RunFactData> = {}): Fact =>
  toFact(name, { ownerKind: 'RuntimeRun', runId: 'run-42', ...data });

function toFact<Name extends FactName>(name: Name, data: FactOf<Name>['data'], time = '2026-12-01T00:00:00.000Z'): FactOf<Name> {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'agentstration/tool-executor/test',
    type: cloudEventType(name),
    subject: 'toolCallId' in data ? data.toolCallId : data.runId,
    time,
    datacontenttype: 'application/json',
    data,
  };
}

/** Hooks of a chain, shortened: `denies('block')`. */
export const allows = (id: string, order = 0): Evaluation => ({ hook: { id, order, source: 'Local' }, decision: 'Allowed' });
export const denies = (id: string, code = 'denied'): Evaluation => ({ hook: { id, order: 0, source: 'Local' }, decision: 'Denied', code });
export const managed = (name: string, generation: number, decision: Evaluation['decision'] = 'Allowed'): Evaluation => ({
  hook: { id: `managed:default/${name}`, order: 100, source: 'Managed', resourceId: `default/${name}`, resourceGeneration: generation },
  decision,
  ...(decision !== 'Allowed' && { code: 'hook_code' }),
});

/** The Journal subject of a fact in a Workspace. */
export function journalSubject(scope: Scope, fact: Fact): string {
  const run = { ...scope, ownerKind: fact.data.ownerKind, runId: fact.data.runId };
  return 'toolCallId' in fact.data ? toolCallJournalSubject({ ...run, toolCallId: fact.data.toolCallId }) : runJournalSubject(run);
}
