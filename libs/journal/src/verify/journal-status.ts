import type { JournalState } from '../read/journal-state.ts';
import type { Durability } from './durability-reader.ts';

/** What the last check found. */
export interface JournalStatus {
  /** Whether facts may be appended. */
  readonly verified: boolean;
  /** All that is wrong and what to do about it; empty when the Journal is verified and takes new attempts. */
  readonly reasons: readonly string[];
  readonly durability: Durability;
  /** What keeps the durability from being `power`. */
  readonly durabilityBecause?: string;
  /** What should be mended although nothing is closed by it. */
  readonly advice?: string;
  /** The Journal as the last look that reached it saw it. */
  readonly journal?: JournalState;
}

/** Whether somebody who watches should hear of it. */
export const differs = (left: JournalStatus, right: JournalStatus): boolean =>
  left.verified !== right.verified || left.durability !== right.durability || left.reasons.join() !== right.reasons.join();
