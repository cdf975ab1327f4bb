import {
  type TableDifference,
  activeGeneration,
  compareGenerations,
  createGeneration,
  holdProjection,
  indexGeneration,
  readCheckpoint,
  readModelFormat,
  seeThenRelease,
  takeLease,
} from '@agentstration/store/read-model';
import type { DataSource } from 'typeorm';
import type { JournalSource } from '../project-journal/journal-source.ts';
import { projectGeneration } from '../project-journal/project-generation.ts';
import { Progress } from './progress.ts';

export interface RebuildParts {
  readonly database: DataSource;
  readonly journal: JournalSource;
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Told to the operator, line by line. */
  readonly say: (line: string) => void;
}

/** Close enough for the live projection to be held while the rest is projected. */
const closeEnough = 2000;

/** A generation that is made from the Journal alone, beside the one that is live. */
export class ShadowGeneration {
  private constructor(
    private readonly parts: RebuildParts,
    readonly generation: number,
    readonly live: number,
  ) {}

  /** Projects the whole Journal, up to close behind the live generation. */
  static async build(parts: RebuildParts): Promise<ShadowGeneration> {
    const live = await activeGeneration(parts.database);
    if (live === undefined) throw new Error('There is no read model yet: start the projector first');
    const shadow = new ShadowGeneration(parts, await createGeneration(parts.database), live);
    parts.say(`generation ${shadow.generation} is being made from the Journal beside generation ${live}`);
    await shadow.#catchUp();
    parts.say('making indexes');
    await indexGeneration(parts.database, shadow.generation);
    await shadow.#catchUp();
    return shadow;
  }

  /** Whether the live generation was made from the Journal that is there now, and in this format: only then can the two be equal. */
  async isComparable(): Promise<boolean> {
    const [{ created, lastSequence }, live] = await Promise.all([this.parts.journal.state(), this.#liveCheckpoint()]);
    return live.format === readModelFormat && live.sequence <= lastSequence && (live.streamCreated ?? created) === created;
  }

  /** Compares row for row at one position, which the live projection passes at once. */
  async compare(): Promise<{ readonly sequence: number; readonly differences: readonly TableDifference[] }> {
    const { database, say } = this.parts;
    return holdProjection(database, this.live, async (held) => {
      await this.bringTo(held.sequence);
      say(`comparing both generations row for row at sequence ${held.sequence}`);
      const differences = await seeThenRelease(database, held, (manager) => compareGenerations(manager, [this.live, this.generation]));
      return { sequence: held.sequence, differences };
    });
  }

  /** Projects up to exactly this sequence. */
  async bringTo(until: number): Promise<void> {
    const { database, journal, owner, signal, say } = this.parts;
    const { generation } = this;
    if (!(await takeLease(database, { generation, owner }))) throw new Error(`Somebody else projects generation ${generation}`);
    const progress = new Progress(say);
    await projectGeneration({
      ...{ database, journal, generation, owner, signal, until },
      onProjected: (batch) => progress.projected({ ...batch, target: until }),
      onInterruption: (error) => say(`reading the Journal was interrupted: ${error.message}`),
    });
    signal.throwIfAborted();
  }

  async #catchUp(): Promise<void> {
    for (let reached = -Infinity; ;) {
      const target = await this.#target();
      if (target - reached < closeEnough) return;
      await this.bringTo(target);
      reached = target;
    }
  }

  /** Where the live generation is; the end of the Journal where the two cannot be compared. */
  async #target(): Promise<number> {
    return (await this.isComparable()) ? (await this.#liveCheckpoint()).sequence : (await this.parts.journal.state()).lastSequence;
  }

  async #liveCheckpoint() {
    const checkpoint = await readCheckpoint(this.parts.database, this.live);
    if (!checkpoint) throw new Error(`Generation ${this.live} is gone`);
    return checkpoint;
  }
}

/** What differs, for an operator. */
export const describeDifferences = (differences: readonly TableDifference[]): string[] =>
  differences.map(({ table, rows, furtherRanges, examples }) => {
    const more = furtherRanges > 0 ? ` and more in ${furtherRanges} further ranges of keys` : '';
    return `${table}: ${rows} ${rows === 1 ? 'row differs' : 'rows differ'}${more}: ${examples.join('; ')}${rows > examples.length ? '; …' : ''}`;
  });
