import type { Scope } from '@agentstration/contracts';
import { decodeText } from '../tables/text-codec.ts';
import { type OwnerColumns, ofWorkspace, ownerColumns, ownerOf, toOwner } from './owner.ts';
import { atMost } from './record-rows.ts';
import type { ReadModelReader } from './read-model-reader.ts';

/** A Journal message that is no fact, or none that this version understands. Its content stays in the Journal. */
export interface ProjectionDeadLetter {
  readonly journalSequence: number;
  readonly workspaceSequence: number;
  readonly subject: string;
  readonly reason: string;
  readonly size: number;
  readonly sha256: string;
  readonly storedAt: string;
}

export interface DeadLettersPage {
  readonly projectedSequence: number;
  readonly removedThrough: number;
  readonly items: readonly ProjectionDeadLetter[];
  /** Continue after this workspaceSequence; null on the last page. */
  readonly nextSequence: number | null;
}

interface StoredDeadLetter extends OwnerColumns {
  readonly journal_sequence: string | null;
  readonly workspace_sequence: string;
  readonly subject: string;
  readonly reason: string;
  readonly payload_size: number;
  readonly payload_sha256: Buffer;
  readonly stored_at: string;
}

/** The dead letters of a Workspace, ascending. */
export async function listDeadLetters(
  reader: ReadModelReader,
  { scope, afterSequence, limit }: { readonly scope: Scope; readonly afterSequence: number; readonly limit: number },
): Promise<DeadLettersPage> {
  const { projectedSequence, rows } = await reader.read<StoredDeadLetter>(scope, (t, to) => ({
    prepared: true,
    with: [
      ownerOf(scope, t, to),
      `page AS (SELECT d.* FROM ${t.dead_letter} AS d WHERE ${ofWorkspace('d')} AND d.workspace_sequence > ${to.add(afterSequence)}
        ORDER BY d.workspace_sequence LIMIT ${atMost(limit + 1)})`,
    ],
    columns: `${ownerColumns}, page.*`,
    joins: 'LEFT JOIN owner ON true LEFT JOIN page ON true',
    orderBy: 'page.workspace_sequence',
  }));
  const found = rows.filter(({ journal_sequence }) => journal_sequence !== null).map(toDeadLetter);
  const items = found.slice(0, limit);
  const nextSequence = found.length > limit ? items.at(-1)!.workspaceSequence : null;
  return { projectedSequence, removedThrough: toOwner(rows).removedThrough, items, nextSequence };
}

const toDeadLetter = (row: StoredDeadLetter): ProjectionDeadLetter => ({
  journalSequence: Number(row.journal_sequence),
  workspaceSequence: Number(row.workspace_sequence),
  subject: decodeText(row.subject),
  reason: decodeText(row.reason),
  size: row.payload_size,
  sha256: row.payload_sha256.toString('hex'),
  storedAt: new Date(Number(row.stored_at)).toISOString(),
});
