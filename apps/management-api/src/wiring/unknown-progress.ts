import type { RunProgress } from '../runs/run-ports.ts';

/** Nothing is known of any call. */
export const unknownProgress: RunProgress = {
  toolCalls: () => Promise.resolve([]),
  retainedArguments: () => Promise.resolve(new Map()),
};
