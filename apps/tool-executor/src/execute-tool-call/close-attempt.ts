import { type FactOf, isFact } from '@agentstration/contracts';
import { type RecordedFact, recordFact } from '@agentstration/governance';
import { subjectOf } from './attempt.ts';
import { type Delivery, toolCallOf } from './delivery.ts';
import type { ExecutorParts } from './executor-parts.ts';

export type TerminalFact = FactOf<'ToolExecutionCompleted'> | FactOf<'ToolExecutionFailed'>;

export interface Closing {
  readonly delivery: Delivery;
  readonly fact: TerminalFact;
  /** The sequence of the newest fact that this executor knows. */
  readonly fence: number;
  /** The provider was called: the outcome is appended even when another executor closed the attempt meanwhile. */
  readonly called: boolean;
}

/**
 * `recorded`: this fact stands in the Journal. `closed_by_other`: another terminal fact of the attempt came first and
 * stands. `given_up`: the grace period ended; a later delivery of the Request closes the attempt.
 */
export type Closed = 'recorded' | 'closed_by_other' | 'given_up';

const longestPauseMs = 2_000;

/**
 * Publishes a terminal fact until it is recorded, and looks at the call's facts before every repetition: its own fact
 * may have landed after a time-out. No cancellation of the caller reaches in here.
 */
export async function closeAttempt(parts: ExecutorParts, closing: Closing): Promise<Closed> {
  let { fence } = closing;
  let closedByOther = false;
  for (let repetition = 0; ; repetition++) {
    const outcome = await recordFact(parts.journal, {
      subject: subjectOf(closing.delivery),
      fact: closing.fact,
      expectedLastSequence: fence,
    });
    if (outcome.kind === 'recorded') return closedByOther ? 'closed_by_other' : 'recorded';
    if (closedByOther && outcome.kind !== 'fenced') return 'closed_by_other';
    if (parts.graceEnded.aborted) return 'given_up';
    const standing = await readStanding(parts, closing);
    if (outcome.kind !== 'fenced' || !standing) await parts.clock.sleep(Math.min(100 * 2 ** Math.min(repetition, 5), longestPauseMs));
    if (standing?.own) return closedByOther ? 'closed_by_other' : 'recorded';
    closedByOther ||= standing?.closed ?? false;
    if (closedByOther && !closing.called) return 'closed_by_other';
    fence = standing?.lastSequence ?? fence;
  }
}

interface Standing {
  readonly lastSequence: number;
  /** This very fact is in the Journal. */
  readonly own: boolean;
  /** Another terminal fact of the attempt is. */
  readonly closed: boolean;
}

async function readStanding(parts: ExecutorParts, { delivery, fact }: Closing): Promise<Standing | undefined> {
  try {
    const history = await parts.journal.readToolCall(toolCallOf(delivery));
    const terminal = history.filter((recorded) => isTerminalOf(recorded, fact.data.invocationId));
    return {
      lastSequence: history.at(-1)?.sequence ?? 0,
      own: terminal.some((recorded) => recorded.fact.id === fact.id),
      closed: terminal.length > 0,
    };
  } catch (error) {
    parts.log.warn(
      { invocationId: fact.data.invocationId, reason: message(error) },
      'cannot read the Journal while recording an outcome; trying again',
    );
    return undefined;
  }
}

const isTerminalOf = ({ fact }: RecordedFact, invocationId: string): boolean =>
  (isFact(fact, 'ToolExecutionCompleted') || isFact(fact, 'ToolExecutionFailed')) && fact.data.invocationId === invocationId;

const message = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
