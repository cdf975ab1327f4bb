import { type Manifest, type ManifestAddress, validateManifest } from '@agentstration/governance';
import { ProblemError } from '@agentstration/service-kit';
import type { ResourceContent } from '@agentstration/store';
import type { ResourceType } from './resource-type.ts';

/** What a body asks for. @throws ProblemError `invalid_definition` with every fault at once. */
export function readManifest(type: ResourceType, document: unknown, address: ManifestAddress): Manifest {
  const verdict = validateManifest(type.kind, document, address);
  if (verdict.ok) return verdict.definition;
  const count = verdict.faults.length;
  const detail = count === 1 ? 'The manifest has one fault' : `The manifest has ${count} faults`;
  throw new ProblemError('invalid_definition', detail, { errors: verdict.faults });
}

/** The part of a manifest that a write stores. */
export const contentOf = ({ metadata: { labels, annotations }, definition }: Manifest): ResourceContent => ({
  labels,
  annotations,
  definition,
});
