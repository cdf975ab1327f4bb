import {
  type Fault,
  type ResourceKind,
  type ToolDefinition,
  type ToolExecutionHookDefinition,
  type ToolProviderDefinition,
  apiVersion,
  compileSchema,
} from '@agentstration/contracts';
import { unmatchableNames } from './unmatchable-names.ts';
import { type Validated, below, conclude, isRecord } from './validated.ts';
import { validateHookDefinition } from './validate-hook-definition.ts';
import { type GivenMetadata, validateMetadata } from './validate-metadata.ts';
import { validateToolDefinition } from './validate-tool-definition.ts';
import { validateToolProviderDefinition } from './validate-tool-provider-definition.ts';

export interface DefinitionOf {
  ToolExecutionHook: ToolExecutionHookDefinition;
  ToolProvider: ToolProviderDefinition;
  Tool: ToolDefinition;
}

/** What a user says about a resource: a body that was found valid. */
export interface Manifest<Kind extends ResourceKind = ResourceKind> {
  readonly kind: Kind;
  readonly metadata: GivenMetadata;
  readonly definition: DefinitionOf[Kind];
}

/** What the URL says. Without a name (a create) the body names the resource. */
export interface ManifestAddress {
  readonly namespace?: string;
  readonly name?: string;
}

/** The validation of each kind's `definition`. */
export const definitionValidators: { readonly [Kind in ResourceKind]: (definition: unknown) => Validated<DefinitionOf[Kind]> } = {
  ToolExecutionHook: validateHookDefinition,
  ToolProvider: validateToolProviderDefinition,
  Tool: validateToolDefinition,
};

const envelope = (kind: ResourceKind) =>
  compileSchema({
    type: 'object',
    additionalProperties: false,
    required: ['apiVersion', 'kind', 'metadata', 'definition'],
    properties: { apiVersion: { const: apiVersion }, kind: { const: kind }, metadata: {}, definition: {}, status: {} },
  });
const envelopes = { ToolExecutionHook: envelope('ToolExecutionHook'), ToolProvider: envelope('ToolProvider'), Tool: envelope('Tool') };

/**
 * Judges a whole manifest against what the URL says: every fault at once, pointers relative to the document. What the
 * server adds (`metadata.uid` and the like, `status`) may stand there and is ignored, so that get, edit, put works.
 */
export function validateManifest<Kind extends ResourceKind>(
  kind: Kind,
  document: unknown,
  address: ManifestAddress = {},
): Validated<Manifest<Kind>> {
  const faults: Fault[] = envelopes[kind](document);
  if (!isRecord(document)) return conclude<Manifest<Kind>>(faults, unreachable);
  const sent = isRecord(document.metadata) ? { ...given(address), ...document.metadata } : document.metadata;
  const metadata = 'metadata' in document ? validateMetadata(kind, sent) : undefined;
  const definition = 'definition' in document ? definitionValidators[kind](document.definition) : undefined;
  if (metadata?.ok === false) faults.push(...below('/metadata', metadata.faults));
  if (definition?.ok === false) faults.push(...below('/definition', definition.faults));
  if (kind === 'ToolExecutionHook') faults.push(...below('/definition', unmatchableNames(document.definition)));
  faults.push(...addressFaults(sent, address));
  if (!metadata?.ok || !definition?.ok) return conclude<Manifest<Kind>>(faults, unreachable);
  return conclude(faults, () => ({ kind, metadata: metadata.definition, definition: definition.definition }));
}

function addressFaults(metadata: unknown, address: ManifestAddress): Fault[] {
  if (!isRecord(metadata)) return [];
  return (['name', 'namespace'] as const)
    .filter((field) => address[field] !== undefined && metadata[field] !== address[field])
    .map((field) => ({ pointer: `/metadata/${field}`, code: 'differs_from_url', message: `must be the ${field} that the URL gives` }));
}

const given = ({ name, namespace }: ManifestAddress): ManifestAddress => ({
  ...(name === undefined ? {} : { name }),
  ...(namespace === undefined ? {} : { namespace }),
});

const unreachable = (): never => {
  throw new TypeError('A manifest without faults has metadata and a definition.');
};
