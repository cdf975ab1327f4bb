import type { RunKey } from '@agentstration/contracts';

/** Where one Tool Call of a Run stands, as the Journal says. */
export interface ToolCallProgress {
  readonly toolCallId: string;
  readonly agentId: string;
  readonly state: 'Running' | 'Succeeded' | 'Failed' | 'Denied' | 'Cancelled' | 'Unknown';
  /** No further attempt follows. */
  readonly final: boolean;
  readonly attempts: number;
}

/** Arguments that a governance fact retained: the exact text, or the beginning of it. */
export interface RetainedText {
  readonly json: string;
  readonly truncated: boolean;
}

/** What the read model, folded from the Journal, knows of a Run. */
export interface RunProgress {
  /** One entry per Tool Call that has facts; an empty list for a Run without any. */
  toolCalls(run: RunKey): Promise<readonly ToolCallProgress[]>;
  /** The latest retained arguments by `toolCallId`. */
  retainedArguments(run: RunKey): Promise<ReadonlyMap<string, RetainedText>>;
}

export const runStoreToken = Symbol('RunStore');
export const runProgressToken = Symbol('RunProgress');
export const runPortsToken = Symbol('RunPorts');
