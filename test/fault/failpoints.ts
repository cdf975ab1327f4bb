import { decodeFact } from '@agentstration/governance';
import type { ExecutorParts } from '@agentstration/tool-executor/testing';
import { withAppend } from './with-append.ts';

/** Where an executor can be stopped exactly. */
export const failpoints = ['before_started', 'after_started', 'after_gate_ack', 'before_call', 'after_call', 'after_terminal'] as const;
export type Failpoint = (typeof failpoints)[number];

/** What the executor prints when it has reached its failpoint; it goes no further. */
export const reachedLine = (failpoint: Failpoint): string => `failpoint reached: ${failpoint}`;

/** The first call that reaches the failpoint stops there for ever. */
export function withFailpoint(parts: ExecutorParts, failpoint: Failpoint): ExecutorParts {
  const reach = async (at: Failpoint): Promise<void> => {
    if (at !== failpoint) return;
    process.stdout.write(`${reachedLine(at)}\n`);
    await new Promise(() => undefined);
  };
  const { journal, providers } = parts;
  return {
    ...parts,
    journal: withAppend(journal, async (append) => {
      const type = decodeFact(append.payload)?.type ?? '';
      if (type.includes('Started')) await reach('before_started');
      const outcome = await journal.append(append);
      if (type.includes('Started')) await reach('after_started');
      else if (type.includes('Governance')) await reach('after_gate_ack');
      else await reach('after_terminal');
      return outcome;
    }),
    providers: {
      prepare: (provider) => providers.prepare(provider),
      call: async (permit, call) => {
        await reach('before_call');
        const outcome = await providers.call(permit, call);
        await reach('after_call');
        return outcome;
      },
    },
  };
}
