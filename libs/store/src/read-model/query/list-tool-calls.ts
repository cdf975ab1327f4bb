import type { Decision } from '@agentstration/contracts';
import { type ToolCallTrace, toToolCallTrace } from '@agentstration/governance';
import { type StoredAttempt, fromAttemptRow } from '../tables/attempt-codec.ts';
import { fromDocument } from '../tables/record-document.ts';
import type { RunPageQuery } from './list-run-records.ts';
import { type OwnerColumns, ofRun, ownerColumns, ownerOf } from './owner.ts';
import { atMost } from './record-rows.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RunPage, toRunPage } from './run-page.ts';

interface StoredCall extends OwnerColumns {
  readonly first: StoredAttempt | null;
  readonly latest: StoredAttempt;
  readonly decision: Decision | null;
  readonly document: string | null;
}

/** The Tool Calls of a Run in the order of their first facts, each with its latest attempt. */
export async function listToolCalls(reader: ReadModelReader, { run, afterSequence, limit }: RunPageQuery): Promise<RunPage<ToolCallTrace>> {
  const answer = await reader.read<StoredCall>(run, (t, to) => ({
    prepared: true,
    with: [
      ownerOf(run, t, to),
      `page AS (SELECT a.* FROM ${t.attempt} AS a WHERE ${ofRun('a')} AND a.ordinal = 1 AND a.first_sequence > ${to.add(afterSequence)}
        ORDER BY a.first_sequence LIMIT ${atMost(limit + 1)})`,
    ],
    columns: `${ownerColumns}, to_json(page) AS first, to_json(latest) AS latest, record.decision, record.document`,
    joins: `LEFT JOIN owner ON true LEFT JOIN page ON true
      LEFT JOIN LATERAL (SELECT l.* FROM ${t.attempt} AS l WHERE l.run_key = page.run_key AND l.tool_call_id = page.tool_call_id
        ORDER BY l.ordinal DESC LIMIT 1) AS latest ON true
      LEFT JOIN ${t.record} AS record
        ON record.run_key = latest.run_key AND record.run_sequence = (latest.governance::json ->> 'sequence')::bigint`,
    orderBy: 'page.first_sequence',
  }));
  const calls = answer.rows.filter(({ first }) => first !== null);
  return toRunPage(answer, calls.slice(0, limit), {
    more: calls.length > limit,
    sequenceOf: ({ first }) => Number(first!.first_sequence),
    render: (row) => toTrace(row, row.first!),
  });

  function toTrace(row: StoredCall, first: StoredAttempt): ToolCallTrace {
    const evaluations = row.document === null ? [] : fromDocument(row.document).evaluations;
    return toToolCallTrace({
      first: fromAttemptRow(first, run),
      latest: fromAttemptRow(row.latest, run),
      count: row.latest.ordinal,
      record: row.decision === null ? null : { decision: row.decision, evaluations },
    });
  }
}
