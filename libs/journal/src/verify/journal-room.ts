/** How full the Journal is, in bytes, and what this process had surely stored when that was asked. */
export interface Fill {
  readonly bytes: number;
  /** -1: no limit. */
  readonly maximumBytes: number;
  /** {@link JournalRoom.mark} when the question was sent. */
  readonly mark: number;
}

const mebibyte = 1024 * 1024;
/** So many executors may each use up their part of the reserve before they look again, and none reaches the limit. */
const partsOfReserve = 8;
/** No Journal is filled so fast that this part of what was left at the last look is more than is left now. */
const partsOfLeft = 64;

/** A hundredth of the Journal, at least 64 MiB, and never more than a quarter of it. */
export const defaultReserve = (maximumBytes: number): number => Math.min(Math.max(64 * mebibyte, maximumBytes / 100), maximumBytes / 4);

export interface RoomOptions {
  /** The facts of one attempt in the worst case, as the Journal stores them. */
  readonly attemptBytes: number;
  /** Default: {@link defaultReserve}. */
  readonly reserveBytes?: number | undefined;
}

/**
 * How many attempts may still begin so that the facts of every attempt under way find room in the Journal: what an attempt
 * may come to is set aside when it begins, and a reserve stays free.
 *
 * The Journal is filled by several processes, and each sees it only when it looks. Between two looks a process counts what
 * it appends itself, and uses at most an eighth of the reserve, or a small part of what is left where that is more; it looks
 * again when half of that is used. So the reserve is wide enough for what the others append meanwhile.
 */
export class JournalRoom {
  readonly #options: RoomOptions;
  #seen: Fill | undefined;
  /** Bytes that this process ever sent, and those of them of which it knows what they came to. */
  #sent = 0;
  #settled = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** An append goes out. Call what it answers once its outcome is known. */
  sending(bytes: number): () => void {
    this.#sent += bytes;
    return () => void (this.#settled += bytes);
  }

  /** What a look that is sent now will surely have seen. */
  get mark(): number {
    return this.#settled;
  }

  look(fill: Fill): void {
    if (this.#seen === undefined || fill.mark >= this.#seen.mark) this.#seen = fill;
  }

  /** As many bytes as were left above the reserve at the last look: below what one attempt needs, none begins any more. */
  get isUsedUp(): boolean {
    return this.#left < this.#options.attemptBytes;
  }

  /** Whether this process appended so much since the last look that it must look again. */
  get isStale(): boolean {
    return this.#unseen > this.#share / 2 || (this.#unseen > 0 && !this.isUsedUp && this.attempts(0) === 0);
  }

  /** How many attempts may begin now, while so many are under way. */
  attempts(underWay: number): number {
    if (this.isUsedUp) return 0;
    const { attemptBytes } = this.#options;
    const fitting = Math.floor((this.#left - this.#unseen) / attemptBytes);
    // One at least after each look: a small Journal is no reason to stand still.
    const allowed = Math.max(this.#unseen === 0 ? 1 : 0, Math.floor((this.#share - this.#unseen) / attemptBytes));
    return Math.max(0, Math.min(fitting, allowed) - underWay);
  }

  get #unseen(): number {
    return this.#sent - (this.#seen?.mark ?? 0);
  }

  get #left(): number {
    if (!this.#seen) return 0;
    const { bytes, maximumBytes } = this.#seen;
    return maximumBytes <= 0 ? Number.POSITIVE_INFINITY : maximumBytes - this.#reserve - bytes;
  }

  get #share(): number {
    return Math.max(this.#reserve / partsOfReserve, this.#left / partsOfLeft);
  }

  get #reserve(): number {
    return this.#options.reserveBytes ?? defaultReserve(Math.max(0, this.#seen?.maximumBytes ?? 0));
  }
}
