import type { Fact } from '@agentstration/contracts';

/**
 * The place that the Journal's order gives a message: 1, 2, 3, … within its Run and within its Workspace. Every message
 * counts, readable or not, so that the numbers are the same after every rebuild.
 */
export interface Numbers {
  readonly sequence: number;
  readonly workspaceSequence: number;
}

/** A fact and its place. */
export interface Numbered<F extends Fact = Fact> extends Numbers {
  readonly fact: F;
}

/** The time of a fact in UTC with milliseconds, however its author wrote it. */
export const timestampOf = (fact: Fact): string => new Date(fact.time).toISOString();
