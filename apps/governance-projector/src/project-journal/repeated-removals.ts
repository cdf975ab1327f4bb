import { type ProjectedMessage, type RecordedRemoval, pendingRemovals, repeatRemoval } from '@agentstration/store/read-model';
import type { DataSource } from 'typeorm';

interface Lease {
  readonly generation: number;
  readonly owner: string;
}

/**
 * What retention removed while another generation was active: repeated at the same positions of the Journal, so that this
 * generation comes to the same rows.
 */
export class RepeatedRemovals {
  private constructor(
    private readonly database: DataSource,
    private readonly lease: Lease,
    private readonly pending: RecordedRemoval[],
  ) {}

  static async of(database: DataSource, lease: Lease): Promise<RepeatedRemovals> {
    return new RepeatedRemovals(database, lease, await pendingRemovals(database, lease.generation));
  }

  /** Makes those that are due when this sequence was projected. */
  async repeat(sequence: number): Promise<void> {
    for (let next = this.pending[0]; next && next.journalSequence <= sequence; next = this.pending[0]) {
      await repeatRemoval(this.database, this.lease, next);
      this.pending.shift();
    }
  }

  /** Cuts messages where removals are due between them. */
  *cut(messages: readonly ProjectedMessage[]): Generator<readonly ProjectedMessage[]> {
    let rest = messages;
    while (rest.length > 0) {
      const due = this.pending[0]?.journalSequence ?? Infinity;
      const next = rest.findIndex(({ sequence }) => sequence > due);
      const count = next > 0 ? next : rest.length;
      yield rest.slice(0, count);
      rest = rest.slice(count);
    }
  }
}
