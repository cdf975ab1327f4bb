/** A person must mend something before the server can start. The message says what and how, and is all that they need to read. */
export class StartRefused extends Error {
  readonly explainsItself = true;
  override readonly name: string = 'StartRefused';
}
