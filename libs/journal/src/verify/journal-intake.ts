import type { AppendOutcome } from '@agentstration/governance';
import type { JournalState } from '../read/journal-state.ts';
import { describeTroubles } from './describe-troubles.ts';
import { JournalRoom, type RoomOptions } from './journal-room.ts';
import { PublishRecord } from './publish-record.ts';

export interface IntakeOptions extends RoomOptions {
  /** The Journal must be looked at, sooner than it would be. */
  readonly onMustLook: () => void;
}

/** Whether the Journal takes the facts of new attempts: by the room that it had, and by what became of the last publishes. */
export class JournalIntake {
  readonly #options: IntakeOptions;
  readonly #room: JournalRoom;
  readonly #publishes = new PublishRecord();
  /** What the last look found. */
  #isClosed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#room = new JournalRoom(options);
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.#publishes.refusedAsFull;
  }

  /** How many attempts may begin now, while so many are under way here. */
  attempts(underWay: number): number {
    return this.isOpen ? this.#room.attempts(underWay) : 0;
  }

  /** See {@link JournalRoom.mark}. */
  get mark(): number {
    return this.#room.mark;
  }

  /** Takes note of a publish of so many bytes. Call what it answers with what the publish came to. */
  publishing(bytes: number): (outcome: AppendOutcome) => void {
    const settle = this.#room.sending(bytes);
    return (outcome) => {
      settle();
      const wasOpen = this.isOpen;
      this.#publishes.heard(outcome, performance.now());
      if ((wasOpen && !this.isOpen) || this.#room.isStale) this.#options.onMustLook();
    };
  }

  /** Takes note of a look that was sent at this mark. Answers what keeps new attempts from starting. */
  look(journal: JournalState, mark: number): readonly string[] {
    this.#room.look({ ...journal, mark });
    const refused = this.#publishes.refusedAsFull;
    this.#publishes.forgetRefusal();
    const { isUsedUp } = this.#room;
    this.#isClosed = isUsedUp || refused;
    return describeTroubles({ journal, isUsedUp, refused, unanswered: this.#publishes.unanswered(performance.now()) });
  }
}
