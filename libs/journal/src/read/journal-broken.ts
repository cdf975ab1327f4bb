/** The Journal is not the one that was read before, or lacks messages: reading on could only be wrong. */
export class JournalBroken extends Error {
  constructor(
    readonly kind: 'recreated' | 'shorter' | 'gap',
    detail: string,
  ) {
    super(`The Journal cannot be trusted: ${detail}`);
    this.name = 'JournalBroken';
  }
}
