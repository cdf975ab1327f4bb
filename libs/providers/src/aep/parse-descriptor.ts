import { StrictJsonError, compileSchema, parseStrictJson } from '@agentstration/contracts';
import { ProviderFailure } from '../failures/provider-failure.ts';

/** The revision of the extension protocol that is spoken here. */
export const extensionProtocolVersion = '2026-08-01';

/** What an AEP extension says of itself at `/.well-known/aep`. */
export interface ExtensionDescriptor {
  readonly protocolVersion: string;
  readonly extension: { readonly id: string; readonly name: string; readonly version: string };
  readonly contributions: { readonly tools: readonly ToolContribution[] };
  readonly mcp: { readonly servers: readonly { readonly id: string; readonly endpoint: string }[] };
}

/** A tool of the extension, and the MCP tool behind it. */
export interface ToolContribution {
  readonly id: string;
  readonly displayName: string;
  readonly description?: string;
  readonly mcp: { readonly server: string; readonly tool: string };
}

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const list = (items: object, maxItems: number): object => ({ type: 'array', items, maxItems });

/** Properties that this revision does not know are let pass: an extension may say more. */
const findFaults = compileSchema(
  object({
    protocolVersion: { const: extensionProtocolVersion },
    extension: object({ id: text(128), name: text(256), version: text(128) }),
    capabilities: { type: ['object', 'array'] },
    contributions: object({
      tools: list(
        object(
          {
            id: text(256),
            displayName: text(256),
            description: { type: 'string', maxLength: 16_384 },
            mcp: object({ server: text(128), tool: text(256) }),
          },
          ['description'],
        ),
        2_000,
      ),
    }),
    mcp: object({ servers: list(object({ id: text(128), endpoint: text(2_048) }), 100) }),
  }),
);

/**
 * Reads a descriptor strictly and as a whole.
 *
 * @throws ProviderFailure `extension_descriptor_invalid` naming the places, or `extension_identity_mismatch`
 */
export function parseDescriptor(json: Uint8Array, extensionId: string): ExtensionDescriptor {
  const document = parseJson(json);
  const faults = findFaults(document);
  if (faults.length > 0)
    throw invalid(
      faults
        .map(({ pointer, message }) => `${pointer || '/'} ${message}`)
        .slice(0, 5)
        .join('; '),
    );
  const descriptor = document as ExtensionDescriptor;
  if (descriptor.extension.id !== extensionId)
    throw new ProviderFailure('extension_identity_mismatch', `The endpoint of extension "${extensionId}" answers as another extension.`);
  checkReferences(descriptor);
  return descriptor;
}

function parseJson(json: Uint8Array): unknown {
  try {
    return parseStrictJson(json);
  } catch (error) {
    throw invalid(error instanceof StrictJsonError ? error.reason : 'it is no JSON');
  }
}

/** Each id once, and every contribution at a server that exists. */
function checkReferences({ contributions: { tools }, mcp: { servers } }: ExtensionDescriptor): void {
  const known = new Set(servers.map(({ id }) => id));
  if (known.size < servers.length) throw invalid('/mcp/servers has an id twice');
  if (new Set(tools.map(({ id }) => id)).size < tools.length) throw invalid('/contributions/tools has an id twice');
  const lost = tools.findIndex(({ mcp }) => !known.has(mcp.server));
  if (lost >= 0) throw invalid(`/contributions/tools/${lost}/mcp/server names no server of the descriptor`);
  if (!tools.every(({ description = '' }) => description.isWellFormed() && !description.includes('\0')))
    throw invalid('/contributions/tools has a description with NUL');
}

const invalid = (what: string): ProviderFailure =>
  new ProviderFailure('extension_descriptor_invalid', `The descriptor is refused: ${what}.`);
