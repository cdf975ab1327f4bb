import type { Scope } from '@agentstration/contracts';
import { decodeText } from '../tables/text-codec.ts';
import { type OwnerColumns, ofWorkspace, ownerColumns, ownerOf, toOwner } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, recordConditions } from './record-filter.ts';

export interface SummaryQuery {
  readonly scope: Scope;
  readonly filter: RecordFilter & { readonly from: number; readonly to: number };
  /** Length of a bucket in milliseconds; buckets start at multiples of it. */
  readonly bucketMs: number;
}

/** What was counted in one span of time: name -> how many records. A record counts once for each of its hooks. */
export interface SummaryBucket {
  readonly start: string;
  readonly total: number;
  readonly decisions: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly agents: Readonly<Record<string, number>>;
  readonly hooks: Readonly<Record<string, number>>;
}

export interface Summary {
  readonly projectedSequence: number;
  readonly removedThrough: number;
  /** Ascending; spans without records are left out. */
  readonly buckets: readonly SummaryBucket[];
}

type Dimension = 'total' | 'decisions' | 'outcomes' | 'tools' | 'agents' | 'hooks';

interface StoredCount extends OwnerColumns {
  readonly start: string | null;
  readonly dimension: Dimension;
  readonly name: string | null;
  readonly count: string;
}

/** Counts the records of a span of time, by bucket and by each dimension. */
export async function summariseRecords(reader: ReadModelReader, { scope, filter, bucketMs }: SummaryQuery): Promise<Summary> {
  const { projectedSequence, rows } = await reader.read<StoredCount>(scope, (t, to) => {
    const bucket = `(rec.recorded_at - mod(mod(rec.recorded_at, ${to.add(bucketMs)}::bigint) + ${to.add(bucketMs)}::bigint, ${to.add(bucketMs)}::bigint))`;
    return {
      with: [
        ownerOf(scope, t, to),
        `found AS MATERIALIZED (SELECT ${bucket} AS start, rec.workspace_key, rec.workspace_sequence, rec.decision, rec.tool_id, rec.agent_id,
            coalesce(rec.outcome, 'Running') AS outcome
          FROM ${t.record} AS rec WHERE ${[ofWorkspace('rec'), ...recordConditions(filter, t, to)].join(' AND ')})`,
        `page AS (
          SELECT start, CASE WHEN grouping(decision) = 0 THEN 'decisions' WHEN grouping(outcome) = 0 THEN 'outcomes'
              WHEN grouping(tool_id) = 0 THEN 'tools' WHEN grouping(agent_id) = 0 THEN 'agents' ELSE 'total' END AS dimension,
            coalesce(decision, outcome, tool_id, agent_id) AS name, count(*) AS count
          FROM found GROUP BY GROUPING SETS ((start), (start, decision), (start, outcome), (start, tool_id), (start, agent_id))
          UNION ALL
          SELECT start, 'hooks', hook_id, count(DISTINCT workspace_sequence)
          FROM found JOIN ${t.evaluation} USING (workspace_key, workspace_sequence) GROUP BY start, hook_id)`,
      ],
      columns: `${ownerColumns}, page.*`,
      joins: 'LEFT JOIN owner ON true LEFT JOIN page ON true',
      orderBy: 'page.start, page.count DESC, page.name',
    };
  });
  return { projectedSequence, removedThrough: toOwner(rows).removedThrough, buckets: toBuckets(rows) };
}

function toBuckets(rows: readonly StoredCount[]): SummaryBucket[] {
  const buckets = new Map<string, { total: number } & Record<Exclude<Dimension, 'total'>, Record<string, number>>>();
  for (const { start, dimension, name, count } of rows) {
    if (start === null) continue;
    const bucket = buckets.get(start) ?? { total: 0, decisions: {}, outcomes: {}, tools: {}, agents: {}, hooks: {} };
    buckets.set(start, bucket);
    if (dimension === 'total') bucket.total = Number(count);
    // Names are data: `__proto__` is one like any other.
    else Object.defineProperty(bucket[dimension], decodeText(name!), { value: Number(count), enumerable: true });
  }
  return [...buckets].map(([start, counts]) => ({ start: new Date(Number(start)).toISOString(), ...counts }));
}
