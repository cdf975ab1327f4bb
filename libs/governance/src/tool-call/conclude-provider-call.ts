import type { ErrorType, FailureKind, Outcome, ToolDefinition } from '@agentstration/contracts';
import type { ProviderOutcome } from '../ports/tool-providers.ts';

/** The terminal fact's own fields after a provider call. */
export type Conclusion =
  | { readonly kind: 'Completed'; readonly toolReportedError: boolean; readonly result: unknown }
  | {
      readonly kind: 'Failed';
      readonly failureKind: FailureKind;
      readonly outcome: Exclude<Outcome, 'Succeeded'>;
      readonly errorCode: string;
      readonly errorType: ErrorType;
      readonly final: boolean;
    };

/** What the Tool's own definition says about repeating, and how often this Request has been tried. */
export interface RetryTerms extends Pick<ToolDefinition, 'delivery' | 'retry'> {
  readonly attemptOfRequest: number;
}

/** Judges a provider's outcome. A call that may have run is repeated only where the Tool asks for it and may run twice. */
export function concludeProviderCall(outcome: ProviderOutcome, terms: RetryTerms): Conclusion {
  if (outcome.kind === 'answered') return { kind: 'Completed', toolReportedError: outcome.isError, result: outcome.result };
  const cancelled = outcome.code === 'cancelled';
  return {
    kind: 'Failed',
    failureKind: cancelled ? 'Cancelled' : 'Provider',
    outcome: outcome.kind === 'unknown' ? 'Unknown' : cancelled ? 'Cancelled' : 'Failed',
    errorCode: outcome.code,
    errorType: errorTypeOf(outcome),
    final: cancelled || !mayRepeat(outcome, terms),
  };
}

function mayRepeat(outcome: ProviderOutcome, terms: RetryTerms): boolean {
  const provablyNotExecuted = outcome.kind === 'not_sent';
  return terms.attemptOfRequest < terms.retry.maxAttempts && (provablyNotExecuted || terms.delivery === 'AtLeastOnce');
}

function errorTypeOf(outcome: Exclude<ProviderOutcome, { kind: 'answered' }>): ErrorType {
  if (outcome.code === 'cancelled') return 'Cancelled';
  if (outcome.code === 'provider_timeout') return 'ProviderTimeout';
  return outcome.kind === 'refused' ? 'ProviderError' : 'ProviderConnection';
}
