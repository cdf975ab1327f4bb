const longestSegment = 128;

/**
 * One segment of an RFC 6901 pointer. Names longer than 128 characters are cut: a pointer stands in messages, logs and
 * dead letters, whose size no sender may choose.
 */
export function pointerSegment(name: string | number): string {
  const text = String(name);
  const short = text.length > longestSegment ? `${text.slice(0, longestSegment).toWellFormed()}…` : text;
  return `/${short.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
