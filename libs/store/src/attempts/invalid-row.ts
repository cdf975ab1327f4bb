/** A row that governs an attempt cannot be understood: nothing may be decided on it. Names the row, never its content. */
export class InvalidRow extends Error {
  constructor(resource: string) {
    super(`The stored definition of ${resource} is not valid`);
    this.name = 'InvalidRow';
  }
}
