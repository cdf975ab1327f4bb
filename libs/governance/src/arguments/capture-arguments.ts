import type { RetainedArguments } from '@agentstration/contracts';

/** Marks a text that was cut. */
export const truncationSuffix = '\n… [truncated]';

/** The Run's own choice wins; null inherits the host's. */
export const shouldRetainArguments = (host: boolean, run: boolean | null): boolean => run ?? host;

/**
 * Keeps the JSON text that is sent to the provider within `maximumLength` UTF-16 units. Longer text is cut at a code
 * point boundary so that it fits together with the suffix.
 *
 * @param maximumLength 64 to 1 048 576
 */
export function captureArguments(json: string, maximumLength: number): RetainedArguments {
  if (json.length <= maximumLength) return { json, truncated: false, length: json.length };
  const room = maximumLength - truncationSuffix.length;
  const end = isHighSurrogate(json.charCodeAt(room - 1)) ? room - 1 : room;
  return { json: json.slice(0, end) + truncationSuffix, truncated: true, length: json.length };
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
