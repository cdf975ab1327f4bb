import { type OwnerColumns, toOwner } from './owner.ts';
import type { RunPosition } from './list-run-records.ts';

/** A page of what a Run has, ascending by its numbers. */
export interface RunPage<Item> extends RunPosition {
  readonly items: readonly Item[];
  /** Continue after this sequence; null on the last page. */
  readonly nextSequence: number | null;
}

interface PageForm<Row, Item> {
  readonly more: boolean;
  readonly sequenceOf: (row: Row) => number;
  readonly render: (row: Row) => Item;
}

/** A page of these rows. */
export const toRunPage = <Row, Item>(
  answer: { readonly projectedSequence: number; readonly rows: readonly OwnerColumns[] },
  rows: readonly Row[],
  { more, sequenceOf, render }: PageForm<Row, Item>,
): RunPage<Item> => ({
  projectedSequence: answer.projectedSequence,
  ...toOwner(answer.rows),
  items: rows.map(render),
  nextSequence: more ? sequenceOf(rows.at(-1)!) : null,
});
