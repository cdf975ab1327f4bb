import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { decodeFact, judgeAcknowledgement } from '@agentstration/governance';
import type { ExecutorParts } from '@agentstration/tool-executor/testing';
import { withAppend } from './with-append.ts';

/** A fact that an executor was told is recorded. */
export interface Acknowledged {
  readonly subject: string;
  readonly id: string;
  readonly sequence: number;
}

/** The executor, with every good acknowledgement written down before anybody acts on it. */
export function withLedger(parts: ExecutorParts, file: string): ExecutorParts {
  const { journal } = parts;
  return {
    ...parts,
    journal: withAppend(journal, async (append) => {
      const outcome = await journal.append(append);
      const verdict = outcome.kind === 'acknowledged' ? judgeAcknowledgement(outcome.acknowledgement) : undefined;
      const id = decodeFact(append.payload)?.id;
      if (verdict?.good && id !== undefined) {
        const line: Acknowledged = { subject: append.subject, id, sequence: verdict.sequence };
        appendFileSync(file, `${JSON.stringify(line)}\n`);
      }
      return outcome;
    }),
  };
}

export const readLedger = async (file: string): Promise<readonly Acknowledged[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Acknowledged);
