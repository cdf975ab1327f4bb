/** A promise of the read model's speed, and what this run came to. */
export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly promised: number;
  /** Whether more is better. */
  readonly atLeast: boolean;
}

export const isMet = ({ measured, promised, atLeast }: Target): boolean => (atLeast ? measured >= promised : measured <= promised);

/** One line for each, as a table. */
export const describeTargets = (targets: readonly Target[]): string[] =>
  targets.map(
    (target) =>
      `${isMet(target) ? 'met   ' : 'MISSED'}  ${target.name.padEnd(46)} ${String(target.measured).padStart(8)}  (${target.atLeast ? 'at least' : 'at most'} ${target.promised})`,
  );
