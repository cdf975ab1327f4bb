import type { RunKey } from '@agentstration/contracts';
import type { GovernanceRecord, ToolCallTrace } from '@agentstration/governance';
import { StoreUnavailable } from '@agentstration/store';
import { type ReadModelReader, type RunPage, listRunRecords, listToolCalls } from '@agentstration/store/read-model';
import type { RetainedText, RunProgress, ToolCallProgress } from './run-ports.ts';

const pageSize = 200;

/** {@link RunProgress} from what the projector has folded from the Journal. */
export class ReadModelProgress implements RunProgress {
  constructor(private readonly reader: ReadModelReader) {}

  async toolCalls(run: RunKey): Promise<readonly ToolCallProgress[]> {
    const calls = await readAll<ToolCallTrace>((afterSequence) => listToolCalls(this.reader, { run, afterSequence, limit: pageSize }));
    return calls.map(({ toolCallId, state, final, attempts }) => ({ toolCallId, state, final, attempts }));
  }

  async retainedArguments(run: RunKey): Promise<ReadonlyMap<string, RetainedText>> {
    const records = await readAll<GovernanceRecord>((afterSequence) =>
      listRunRecords(this.reader, { run, afterSequence, limit: pageSize, filter: {}, withArguments: true }),
    );
    const retained = records.flatMap((record): [string, RetainedText][] =>
      record.arguments === null ? [] : [[record.toolCallId, { json: record.arguments, truncated: record.argumentsTruncated }]],
    );
    return new Map(retained);
  }
}

async function readAll<Item>(read: (afterSequence: number) => Promise<RunPage<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  try {
    for (let after: number | null = 0; after !== null;) {
      const page: RunPage<Item> = await read(after);
      items.push(...page.items);
      after = page.nextSequence;
    }
  } catch (error) {
    if (!isBeforeFirstProjection(error)) throw error;
  }
  return items;
}

/** Before the projector has run for the first time nothing is known of any Run; that is no outage. */
const isBeforeFirstProjection = (error: unknown): boolean => error instanceof StoreUnavailable && error.code === 'no_generation';
