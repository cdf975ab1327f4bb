import type { Fact } from '@agentstration/contracts';
import { type RunEvent, withholdArguments } from '@agentstration/governance';
import { decodeText } from '../tables/text-codec.ts';
import type { RunPageQuery } from './list-run-records.ts';
import { type OwnerColumns, ofRun, ownerColumns, ownerOf } from './owner.ts';
import { atMost, boundedPage } from './record-rows.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RunPage, toRunPage } from './run-page.ts';

export interface RunEventsQuery extends RunPageQuery {
  readonly withArguments: boolean;
}

interface StoredMessage extends OwnerColumns {
  readonly run_sequence: string | null;
  readonly workspace_sequence: string;
  readonly payload: Buffer | null;
  readonly reason: string | null;
  /** How many messages were found, where a page was cut by their size. */
  readonly found: string;
}

/** Every Journal message of a Run in order, as it was written. */
export async function listRunEvents(reader: ReadModelReader, query: RunEventsQuery): Promise<RunPage<RunEvent>> {
  const { run, afterSequence, limit, withArguments } = query;
  const answer = await reader.read<StoredMessage>(run, (t, to) => ({
    prepared: true,
    with: [
      ownerOf(run, t, to),
      boundedPage(
        `SELECT m.* FROM ${t.message} AS m WHERE ${ofRun('m')} AND m.run_sequence > ${to.add(afterSequence)}
         ORDER BY m.run_sequence LIMIT ${atMost(limit + 1)}`,
        { order: 'run_sequence', bytes: 'coalesce(octet_length(payload), 0)' },
      ),
    ],
    columns: `${ownerColumns}, page.run_sequence, page.workspace_sequence, page.payload, page.found, dead_letter.reason`,
    joins: `LEFT JOIN owner ON true LEFT JOIN page ON true
      LEFT JOIN ${t.dead_letter} AS dead_letter ON page.payload IS NULL AND dead_letter.journal_sequence = page.journal_sequence`,
    orderBy: 'page.run_sequence',
  }));
  const messages = answer.rows.filter(({ run_sequence }) => run_sequence !== null);
  const shown = messages.slice(0, limit);
  const more = Number(messages[0]?.found ?? 0) > shown.length;
  const form = {
    more,
    sequenceOf: (row: StoredMessage) => Number(row.run_sequence),
    render: (row: StoredMessage) => toEvent(row, withArguments),
  };
  return toRunPage(answer, shown, form);
}

function toEvent({ run_sequence, workspace_sequence, payload, reason }: StoredMessage, withArguments: boolean): RunEvent {
  const numbers = { sequence: Number(run_sequence), workspaceSequence: Number(workspace_sequence) };
  if (!payload) return { ...numbers, fact: null, unreadable: reason === null ? 'unreadable' : decodeText(reason) };
  const fact = JSON.parse(payload.toString('utf8')) as Fact;
  return { ...numbers, fact: withArguments ? fact : withholdArguments(fact), unreadable: null };
}
