import { type GovernanceEvaluatedData, isFact } from '@agentstration/contracts';
import type { RecordedFact } from '../ports/journal.ts';

/** The module-private key that makes {@link Permit} impossible to construct elsewhere. */
const key = Symbol('permit');

/** What a permit allows: this one attempt. */
export interface PermittedAttempt {
  readonly invocationId: string;
  readonly providerId: string;
  readonly externalToolId: string;
}

export type PermitUse = { readonly usable: true } | { readonly usable: false; readonly reason: 'used' | 'expired' };

/**
 * The right to call a provider once. It exists only in the memory of the process whose governance fact was recorded, is
 * made only by {@link openGate}, and dies by use or by age. The provider port asks for one, so that no code path can
 * reach a provider without the record.
 */
export class Permit {
  #state: 'fresh' | 'used' | 'resent' = 'fresh';

  /** @internal Only {@link openGate} holds the key. */
  constructor(
    madeWith: typeof key,
    readonly attempt: PermittedAttempt,
    private readonly expiresAt: number,
  ) {
    if (madeWith !== key) throw new TypeError('A permit is made by openGate alone.');
  }

  /** Spends the permit. `now` is monotonic, in milliseconds, on the clock that {@link openGate} was given. */
  use(now: number): PermitUse {
    if (this.#state !== 'fresh') return { usable: false, reason: 'used' };
    this.#state = 'used';
    return now < this.expiresAt ? { usable: true } : { usable: false, reason: 'expired' };
  }

  /** One use may resend once, after an answer that proves the first sending was never executed. */
  resend(now: number): PermitUse {
    if (this.#state !== 'used') return { usable: false, reason: 'used' };
    this.#state = 'resent';
    return now < this.expiresAt ? { usable: true } : { usable: false, reason: 'expired' };
  }
}

/** When and how long: milliseconds on a monotonic clock. */
export interface PermitTerm {
  readonly now: number;
  readonly lifetimeMs: number;
}

export type Gate =
  | { readonly open: true; readonly permit: Permit }
  | { readonly open: false; readonly reason: 'not_recorded' | 'not_allowed' | 'unknown_tool' };

/**
 * THE GATE. Opens only for a fact that the Journal has recorded and whose every evaluation is `Allowed`; any other
 * input keeps it closed.
 *
 * @param recorded the governance fact as {@link recordFact} proved it recorded; undefined when it did not
 */
export function openGate(recorded: RecordedFact | undefined, term: PermitTerm): Gate {
  if (recorded === undefined || !isProven(recorded)) return { open: false, reason: 'not_recorded' };
  if (!isFact(recorded.fact, 'ToolExecutionGovernanceEvaluated')) return { open: false, reason: 'not_recorded' };
  const data = recorded.fact.data;
  if (!everyAllowed(data)) return { open: false, reason: 'not_allowed' };
  if (data.providerId === null || data.externalToolId === null) return { open: false, reason: 'unknown_tool' };
  const attempt = { invocationId: data.invocationId, providerId: data.providerId, externalToolId: data.externalToolId };
  return { open: true, permit: new Permit(key, attempt, term.now + term.lifetimeMs) };
}

/** Whether the chain let the call through: only by explicit allows. */
export const everyAllowed = (data: GovernanceEvaluatedData): boolean =>
  data.evaluations.every((evaluation) => evaluation.decision === 'Allowed');

const proven = new WeakSet<RecordedFact>();
const isProven = (recorded: RecordedFact): boolean => proven.has(recorded);

/** @internal For `record-fact.ts`, which alone decides what is recorded. */
export function markProven(recorded: RecordedFact): RecordedFact {
  proven.add(recorded);
  return recorded;
}
