import type { DiscoveredTool } from '@agentstration/contracts';
import type { ProviderConnection } from '../connection/provider-connection.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readTool } from './read-tool.ts';

const maximumPages = 100;
const maximumTools = 2_000;

export interface ListLimits {
  readonly maximumBytes: number;
  readonly signal: AbortSignal;
}

/**
 * All pages of a server's tool list. A list that repeats a cursor or a name, or does not end, is refused as a whole: half
 * a list would make tools vanish.
 *
 * @throws ProviderFailure
 */
export async function listTools(connection: ProviderConnection, { maximumBytes, signal }: ListLimits): Promise<readonly DiscoveredTool[]> {
  const tools = new Map<string, DiscoveredTool>();
  const cursors = new Set<string>();
  let bytes = 0;
  for (let cursor: string | undefined, page = 0; page < maximumPages; page += 1) {
    const result = await connection.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor }, signal });
    if (!Array.isArray(result.tools)) throw new ProviderFailure('provider_protocol_error', 'The server answered with no list of tools.');
    for (const entry of result.tools) {
      const tool = readTool(entry, tools.size + 1);
      if (tools.has(tool.externalName))
        throw new ProviderFailure('tool_name_duplicate', `Tool ${tools.size + 1} of the list has the name of another.`);
      tools.set(tool.externalName, tool);
      bytes += Buffer.byteLength(JSON.stringify(tool));
      if (tools.size > maximumTools || bytes > maximumBytes)
        throw new ProviderFailure('tool_list_too_large', `More than ${maximumTools} tools, or ${maximumBytes} bytes of them.`);
    }
    cursor = readCursor(result.nextCursor);
    if (cursor === undefined) return [...tools.values()];
    if (cursors.has(cursor)) throw new ProviderFailure('tool_list_endless', 'The tool list repeats a cursor.');
    cursors.add(cursor);
  }
  throw new ProviderFailure('tool_list_endless', `The tool list has more than ${maximumPages} pages.`);
}

function readCursor(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new ProviderFailure('provider_protocol_error', 'The server answered with a cursor that is no text.');
  return value;
}
