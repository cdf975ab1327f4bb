import type { FailureKind, Outcome } from '@agentstration/contracts';
import type { AttemptStore, Hook, Journal, TimeLimit, ToolProviders } from '@agentstration/governance';

/** Time, as the executor reads it. */
export interface Clock {
  /** Wall clock: for `time` and deadlines. */
  now(): Date;
  /** Milliseconds that never jump: for durations and the life of permits. */
  monotonic(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface ExecutorSettings {
  readonly publishTimeoutMs: number;
  readonly persistArguments: boolean;
  readonly maximumArgumentsLength: number;
  /** Waits between attempts that failed for want of infrastructure. */
  readonly redeliveryDelaysMs: readonly number[];
}

/** The request queue, as far as a decision needs it. */
export interface RequestQueue {
  /** Whether the message at `<stream identity>:<sequence>` still waits or is under way. Rejects when nobody can tell. */
  isQueued(position: string): Promise<boolean>;
}

/** Lines for operators. No line holds an argument, a result, a denial's message or a provider's text. */
export interface ExecutorLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Counts for operators: kinds alone, no identities. */
export interface ExecutorMeter {
  /** The end of an attempt is recorded. `failureKind` is null for a completed one. */
  attemptEnded(outcome: Outcome, failureKind: FailureKind | null): void;
  /** The governance fact of an attempt is not recorded. */
  gateRefused(reason: 'fenced' | 'refused' | 'unknown'): void;
}

/** All that executing a tool call needs: ports, never adapters. */
export interface ExecutorParts {
  readonly journal: Journal;
  readonly store: AttemptStore;
  readonly providers: ToolProviders;
  readonly localHooks: readonly Hook[];
  readonly queue: RequestQueue;
  readonly clock: Clock;
  /** UUIDv7 (RFC 9562): for invocations and facts. */
  readonly newId: () => string;
  /** CloudEvents `source`: `agentstration/tool-executor/<instance>`. */
  readonly source: string;
  readonly hookTimeLimit: TimeLimit;
  readonly settings: ExecutorSettings;
  readonly log: ExecutorLog;
  readonly meter: ExecutorMeter;
  /** Aborts when the grace period of a shutdown is over: nothing waits longer than that. */
  readonly graceEnded: AbortSignal;
}
