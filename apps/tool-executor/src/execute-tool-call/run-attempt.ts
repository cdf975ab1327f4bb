import {
  type AttemptContext,
  type CatalogueEntry,
  type Permit,
  captureArguments,
  concludeProviderCall,
  largestRedeliveryDelayMs,
  openGate,
  recordFact,
  redeliveryDelayMs,
  shouldRetainArguments,
} from '@agentstration/governance';
import type { Delivery as DeliveryMode, RetainedArguments, ToolFailure } from '@agentstration/contracts';
import { type Attempt, type Failure, governanceFact, startedFact, subjectOf } from './attempt.ts';
import type { DeliveryEnd } from './delivery.ts';
import { type Ending, endAttempt } from './end-attempt.ts';
import type { ExecutorParts } from './executor-parts.ts';
import { type Guarded, type UnresolvedType, guardAttempt } from './guard-attempt.ts';
import { failureOf } from './tool-results.ts';

export interface ToRun {
  readonly attempt: Attempt;
  /** What governs the attempt; undefined when the store could not be read. */
  readonly context: AttemptContext | undefined;
  /** The sequence of the newest fact of the Tool Call. */
  readonly fence: number;
}

/** `fenced`: somebody else's fact came first; look again before anything else. */
export type AttemptRun = DeliveryEnd | { readonly kind: 'fenced' };

/**
 * One physical attempt: Started, hooks, governance fact, THE GATE, the provider call, the outcome. Nothing reaches the
 * provider but through the permit that a recorded, allowing governance fact makes.
 */
export async function runAttempt(parts: ExecutorParts, { attempt, context, fence }: ToRun): Promise<AttemptRun> {
  const { delivery, invocationId } = attempt;
  const started = await recordFact(parts.journal, {
    subject: subjectOf(delivery),
    fact: startedFact(parts, attempt),
    expectedLastSequence: fence,
  });
  if (started.kind === 'fenced') return { kind: 'fenced' };
  if (started.kind !== 'recorded') {
    parts.log.warn(
      { ...delivery.scope, invocationId, detail: started.detail },
      'the start of an attempt could not be recorded; the request waits',
    );
    return { kind: 'again', delayMs: largestRedeliveryDelayMs(parts.settings.redeliveryDelaysMs) };
  }
  const guarded = await guardAttempt(parts, { delivery, invocationId, attempt: attempt.number, context });
  if (guarded.kind === 'evaluated' && guarded.chain.verdict.decision === 'Allowed') await parts.providers.prepare(guarded.entry.provider);
  return passGate(parts, { attempt, context, guarded, fence: started.recorded.sequence });
}

interface AtGate {
  readonly attempt: Attempt;
  readonly context: AttemptContext | undefined;
  readonly guarded: Guarded;
  readonly fence: number;
}

async function passGate(parts: ExecutorParts, { attempt, context, guarded, fence }: AtGate): Promise<DeliveryEnd> {
  const fact = governanceFact(parts, attempt, {
    evaluations: guarded.kind === 'evaluated' ? guarded.chain.evaluations : guarded.evaluations,
    delivery: deliveryModeOf(attempt.entry),
    ...retainedArguments(parts, attempt, context),
  });
  const entered = guarded.kind === 'evaluated' ? { entered: guarded.chain.entered, invocation: guarded.invocation } : undefined;
  const recorded = await recordFact(parts.journal, { subject: subjectOf(attempt.delivery), fact, expectedLastSequence: fence });
  if (recorded.kind !== 'recorded') {
    parts.meter.gateRefused(recorded.kind);
    parts.log.error(
      { ...attempt.delivery.scope, invocationId: attempt.invocationId, why: recorded.kind },
      'THE GATE STAYS CLOSED: the governance fact is not recorded',
    );
    return endAttempt(parts, {
      attempt,
      entered,
      fence,
      called: false,
      ...infrastructure(parts, attempt, 'GovernanceUnrecorded'),
    });
  }
  const ending = { attempt, entered, fence: recorded.recorded.sequence };
  const stop = refusalOf(parts, attempt, guarded) ?? interruption(parts, attempt);
  if (stop) return endAttempt(parts, { ...ending, called: false, ...stop });
  const gate = openGate(recorded.recorded, { now: parts.clock.monotonic(), lifetimeMs: parts.settings.publishTimeoutMs });
  // Unreachable for a chain that allowed; kept so that a closed gate can never be walked around.
  if (!gate.open || !attempt.entry)
    return endAttempt(parts, { ...ending, called: false, ...infrastructure(parts, attempt, 'GovernanceUnrecorded') });
  return callProvider(parts, { ...ending, permit: gate.permit, entry: attempt.entry });
}

interface ToCall extends Pick<Ending, 'attempt' | 'entered' | 'fence'> {
  readonly permit: Permit;
  readonly entry: CatalogueEntry;
}

async function callProvider(parts: ExecutorParts, { permit, entry, ...ending }: ToCall): Promise<DeliveryEnd> {
  const { request, signal } = ending.attempt.delivery;
  const outcome = await parts.providers.call(permit, {
    provider: entry.provider,
    externalToolId: entry.externalToolId,
    arguments: request.arguments ?? {},
    timeoutMs: Math.min(request.timeoutMs ?? defaultTimeoutMs, entry.definition.timeoutMs),
    signal,
  });
  const { delivery, retry } = entry.definition;
  const conclusion = concludeProviderCall(outcome, { delivery, retry, attemptOfRequest: ending.attempt.numberOfRequest });
  const called = outcome.kind !== 'not_sent';
  if (conclusion.kind === 'Completed') return endAttempt(parts, { ...ending, called, completed: conclusion });
  const { kind: _kind, ...failure } = conclusion;
  return endAttempt(parts, {
    ...ending,
    called,
    failure,
    told: failureOf(failure.failureKind, failure.errorCode),
    againMs: retry.backoffMs,
  });
}

const defaultTimeoutMs = 60_000;

type Stop = { readonly failure: Failure; readonly told: ToolFailure; readonly againMs: number };

/** An attempt that failed for want of infrastructure is made again a few times, with growing waits. */
function infrastructure(parts: ExecutorParts, attempt: Attempt, errorType: 'GovernanceUnrecorded' | UnresolvedType): Stop {
  const wait = redeliveryDelayMs(parts.settings.redeliveryDelaysMs, attempt.numberOfRequest);
  const errorCode = errorType === 'GovernanceUnrecorded' ? 'tool_execution_governance_unrecorded' : 'tool_execution_hook_resolution_failed';
  return {
    failure: { failureKind: 'Hook', outcome: 'Failed', errorCode, errorType, final: wait === undefined },
    told: failureOf('Hook', errorCode, errorType === 'TooManyHooks' ? { message: tooManyHooks } : {}),
    againMs: wait ?? 0,
  };
}

const tooManyHooks = 'More than 64 hooks match the call, so the tool was not called.';

/** What the guards said, where they did not let the call through. */
function refusalOf(parts: ExecutorParts, attempt: Attempt, guarded: Guarded): Stop | undefined {
  if (guarded.kind === 'unresolved') return infrastructure(parts, attempt, guarded.errorType);
  if (guarded.kind === 'refused') {
    return final(
      { failureKind: 'Rejected', outcome: 'Failed', errorCode: guarded.code, errorType: 'ToolCatalogRefused' },
      failureOf('Rejected', guarded.code),
    );
  }
  const { verdict } = guarded.chain;
  if (verdict.decision === 'Allowed') return undefined;
  const { code, hookId } = verdict;
  if (verdict.decision === 'Denied') {
    const told = failureOf('Denied', code, { message: verdict.message, hookId });
    return final({ failureKind: 'Denied', outcome: 'Denied', errorCode: code, errorType: 'HookDenied' }, told);
  }
  return final({ failureKind: 'Hook', outcome: 'Failed', errorCode: code, errorType: 'HookFailed' }, failureOf('Hook', code, { hookId }));
}

/** The last look between the gate and the call. */
function interruption(parts: ExecutorParts, { delivery }: Attempt): Stop | undefined {
  if (delivery.signal.aborted) {
    return final(
      { failureKind: 'Cancelled', outcome: 'Cancelled', errorCode: 'cancelled', errorType: 'Cancelled' },
      failureOf('Cancelled', 'cancelled'),
    );
  }
  if (!isPast(delivery.request.deadline, parts.clock.now())) return undefined;
  return final(
    { failureKind: 'Rejected', outcome: 'Failed', errorCode: 'deadline_exceeded', errorType: 'DeadlineExceeded' },
    failureOf('Rejected', 'deadline_exceeded'),
  );
}

const final = (failure: Omit<Failure, 'final'>, told: ToolFailure): Stop => ({ failure: { ...failure, final: true }, told, againMs: 0 });

/** Whether the deadline of a Request has passed. */
export const isPast = (deadline: string | undefined, now: Date): boolean => deadline !== undefined && Date.parse(deadline) <= now.getTime();

/** Where the Tool is not known, nothing was called: the milder promise is true. */
const deliveryModeOf = (entry: CatalogueEntry | undefined): DeliveryMode => entry?.definition.delivery ?? 'AtLeastOnce';

/** Retained text is exactly what the provider receives. A Run that is not known inherits the host's choice. */
function retainedArguments(
  parts: ExecutorParts,
  attempt: Attempt,
  context: AttemptContext | undefined,
): { readonly arguments?: RetainedArguments } {
  const { persistArguments, maximumArgumentsLength } = parts.settings;
  // A store that cannot be read may hide a Run that asked for suppression.
  if (!context || !shouldRetainArguments(persistArguments, context.run.persistToolArguments)) return {};
  return { arguments: captureArguments(JSON.stringify(attempt.delivery.request.arguments ?? {}), maximumArgumentsLength) };
}
