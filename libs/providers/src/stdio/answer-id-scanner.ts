const quote = 0x22;
const backslash = 0x5c;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const longestKept = 1_024;
const longestString = 128;

/**
 * Finds the `id` of a JSON-RPC answer that is too large to be kept, from its bytes as they pass: what stands on the top
 * level of the object is kept, what is nested is skipped. So the right request fails, and its neighbours do not.
 */
export class AnswerIdScanner {
  #top = '';
  #depth = 0;
  #inString = false;
  #stringLength = 0;
  #escaped = false;

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#step(byte);
      this.#stringLength = this.#inString ? this.#stringLength + 1 : 0;
      if (this.#depth <= 1 && this.#stringLength < longestString && this.#top.length < longestKept) this.#top += String.fromCharCode(byte);
    }
  }

  #step(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (byte === backslash) this.#escaped = true;
      else if (byte === quote) this.#inString = false;
    } else if (byte === quote) this.#inString = true;
    else if (byte === openBrace || byte === openBracket) this.#depth += 1;
    else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
  }

  /** The id, once all bytes have passed; undefined where there is none on the top level. */
  id(): string | number | undefined {
    const found = /"id"\s*:\s*(?:(?<number>\d{1,15})|"(?<text>[^"\\]{1,128})")/.exec(this.#top)?.groups;
    return found?.number === undefined ? found?.text : Number(found.number);
  }
}
