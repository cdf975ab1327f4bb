import type { RunKey } from '@agentstration/contracts';
import { fromDocument } from '../tables/record-document.ts';
import { decodeText } from '../tables/text-codec.ts';
import { ofRun, ownerOf } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';

/** The text that a governance fact retained, or the beginning of it. */
export interface RetainedText {
  readonly json: string;
  readonly truncated: boolean;
}

interface StoredArguments {
  readonly tool_call_id: string | null;
  readonly arguments: string;
  readonly document: string;
}

/** The newest retained arguments of each Tool Call of a Run, by `toolCallId`. */
export async function listRetainedArguments(reader: ReadModelReader, run: RunKey): Promise<ReadonlyMap<string, RetainedText>> {
  const { rows } = await reader.read<StoredArguments>(run, (t, to) => ({
    prepared: true,
    with: [
      ownerOf(run, t, to),
      `retained AS (SELECT DISTINCT ON (rec.tool_call_id) rec.tool_call_id, rec.arguments, rec.document FROM ${t.record} AS rec
        WHERE ${ofRun('rec')} AND rec.arguments IS NOT NULL ORDER BY rec.tool_call_id, rec.run_sequence DESC)`,
    ],
    columns: 'retained.*',
    joins: 'LEFT JOIN retained ON true',
  }));
  return new Map(
    rows.flatMap((row) => {
      if (row.tool_call_id === null) return [];
      const { argumentsTruncated: truncated } = fromDocument(row.document);
      return [[decodeText(row.tool_call_id), { json: JSON.parse(row.arguments) as string, truncated }] as const];
    }),
  );
}
