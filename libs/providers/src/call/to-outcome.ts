import type { ProviderOutcome } from '@agentstration/governance';
import type { Departure } from '../connection/departure.ts';
import { type FailureCode, ProviderFailure } from '../failures/provider-failure.ts';
import type { CallEnd } from './call-limit.ts';

type Coded<Kind extends ProviderOutcome['kind']> = Extract<ProviderOutcome, { kind: Kind }> extends { code: infer Code } ? Code : never;

/** How one sending ended without a result. */
export interface Ending {
  readonly error: unknown;
  readonly departure: Departure;
  readonly end: CallEnd | undefined;
}

/**
 * The outcome of a call that brought no result. Whether the request left decides first: before that nothing can have
 * been executed; after that only an answer tells, and no answer means that nobody knows.
 */
export function toOutcome({ error, departure, end }: Ending): ProviderOutcome {
  const code = error instanceof ProviderFailure ? error.code : 'provider_protocol_error';
  if (departure.refused) return { kind: 'not_sent', code: 'permit_expired' };
  if (!departure.left)
    return { kind: 'not_sent', code: end === 'cancelled' ? 'cancelled' : end === 'timed_out' ? 'provider_unreachable' : notSent(code) };
  if (end) return { kind: 'unknown', code: end === 'cancelled' ? 'cancelled' : 'provider_timeout' };
  return afterLeaving(code);
}

function notSent(code: FailureCode): Coded<'not_sent'> {
  switch (code) {
    case 'provider_unreachable':
    case 'provider_connection_lost':
    case 'provider_timeout':
      return 'provider_unreachable';
    case 'endpoint_invalid':
    case 'address_not_permitted':
    case 'profile_not_permitted':
    case 'secret_not_permitted':
    case 'header_not_permitted':
    case 'extension_not_permitted':
      return 'provider_not_permitted';
    default:
      return 'provider_unavailable';
  }
}

function afterLeaving(code: FailureCode): ProviderOutcome {
  switch (code) {
    case 'provider_error':
    case 'provider_protocol_error':
    case 'provider_result_too_large':
      return { kind: 'refused', code };
    case 'provider_session_gone':
      // The server said twice that it knows no such session: neither request was executed.
      return { kind: 'not_sent', code: 'provider_unavailable' };
    case 'provider_session_lost':
      return { kind: 'unknown', code };
    default:
      return { kind: 'unknown', code: 'provider_connection_lost' };
  }
}
