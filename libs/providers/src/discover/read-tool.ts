import type { DiscoveredTool } from '@agentstration/contracts';
import { ProviderFailure } from '../failures/provider-failure.ts';

const longestName = 256;
const longestText = 16_384;

/**
 * Reads one entry of a tool list. What names nothing that can be stored, called and shown again is refused, by its place
 * in the list: its own texts are the provider's.
 *
 * @throws ProviderFailure `tool_invalid`
 */
export function readTool(entry: unknown, place: number): DiscoveredTool {
  if (typeof entry !== 'object' || entry === null) throw invalid(place, 'is no object');
  const { name, title, description, inputSchema, outputSchema } = entry as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !isName(name))
    throw invalid(place, `has no name of 1 to ${longestName} characters without control characters`);
  if (!isText(title) || !isText(description))
    throw invalid(place, `has a title or description that is no text of at most ${longestText} characters`);
  const tool = { name, title, description, inputSchema, outputSchema };
  if (!isStorable(tool)) throw invalid(place, 'holds NUL or a lone surrogate, or is nested too deeply');
  return {
    externalName: name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

const invalid = (place: number, what: string): ProviderFailure => new ProviderFailure('tool_invalid', `Tool ${place} of the list ${what}.`);

// eslint-disable-next-line no-control-regex
const isName = (name: string): boolean => name.length > 0 && name.length <= longestName && !/[\x00-\x1f\x7f]/.test(name);

const isText = (text: unknown): text is string | undefined =>
  text === undefined || (typeof text === 'string' && text.length <= longestText);

/** PostgreSQL stores no NUL in JSON, UTF-8 no lone surrogate, and nobody reads a schema of a hundred levels. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (depth > 64) return false;
  return Object.entries(value).every(([key, entry]) => isStorable(key) && isStorable(entry, depth + 1));
}
