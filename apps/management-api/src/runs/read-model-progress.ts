import type { RunKey } from '@agentstration/contracts';
import type { ToolCallTrace } from '@agentstration/governance';
import { StoreUnavailable } from '@agentstration/store';
import {
  type ReadModelReader,
  type RetainedText,
  type RunPage,
  listRetainedArguments,
  listToolCalls,
} from '@agentstration/store/read-model';
import type { RunProgress, ToolCallProgress } from './run-ports.ts';

const pageSize = 200;

/** {@link RunProgress} from what the projector has folded from the Journal. */
export class ReadModelProgress implements RunProgress {
  constructor(private readonly reader: ReadModelReader) {}

  async toolCalls(run: RunKey): Promise<readonly ToolCallProgress[]> {
    const reading = readAll<ToolCallTrace>((afterSequence) => listToolCalls(this.reader, { run, afterSequence, limit: pageSize }));
    const calls = await orBeforeFirstProjection(reading, []);
    return calls.map(({ toolCallId, agentId, state, final, attempts }) => ({ toolCallId, agentId, state, final, attempts }));
  }

  retainedArguments(run: RunKey): Promise<ReadonlyMap<string, RetainedText>> {
    return orBeforeFirstProjection(listRetainedArguments(this.reader, run), new Map());
  }
}

async function readAll<Item>(read: (afterSequence: number) => Promise<RunPage<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: RunPage<Item> = await read(after);
    items.push(...page.items);
    after = page.nextSequence;
  }
  return items;
}

/** Before the projector has run for the first time nothing is known of any Run; that is no outage. */
async function orBeforeFirstProjection<Answer>(reading: Promise<Answer>, nothing: Answer): Promise<Answer> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreUnavailable && error.code === 'no_generation') return nothing;
    throw error;
  }
}
