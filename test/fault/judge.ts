import { unequalRows } from './check-database.ts';
import { foreignThings } from './check-isolation.ts';
import { illegalPaths, lostOutcomes, unexpectedRepeats, ungovernedCalls } from './check-promises.ts';
import type { Broken, Evidence } from './evidence.ts';

/** What the evidence of a run says about every invariant that it can speak of. */
export const judge = (evidence: Evidence): Omit<Broken, 'I10'> => ({
  I1: ungovernedCalls(evidence),
  I2: evidence.vanished,
  I3: unexpectedRepeats(evidence),
  I5: lostOutcomes(evidence),
  I6: unequalRows(evidence),
  I7: illegalPaths(evidence),
  I8: foreignThings(evidence),
});

/**
 * Without what depends on the replicas of the Journal telling the same: on brokers that the product itself warns of they do
 * not, and what is promised there is that no call goes ungoverned, repeated or astray.
 */
export const promisedOfAnyReplica = ({ I1, I3, I8, I10 }: Broken): Broken => ({ I1, I2: [], I3, I5: [], I6: [], I7: [], I8, I10 });

/** Every broken promise in a line of its own, with its invariant. */
export const faultsOf = (broken: Broken): string[] =>
  Object.entries(broken).flatMap(([invariant, faults]) => faults.map((fault) => `${invariant}: ${fault}`));
