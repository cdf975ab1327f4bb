import { toCanonicalId, type ResourceKind } from '@agentstration/contracts';
import { decodeText } from '../read-model/tables/text-codec.ts';
import type { ResourceGeneration, StoredResource } from './resource-store.ts';

/** A row of `agentstration.resources` as the driver reads it: JSON parsed, times as `Date`. */
export interface ResourceRow {
  readonly tenant_id: string;
  readonly workspace_id: string;
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly revision: number;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly definition: object;
  readonly status: Record<string, unknown>;
  readonly provider_name: string | null;
  readonly external_name: string | null;
  readonly available: boolean | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns of {@link ResourceRow}, of the table `r`. */
export const resourceColumns = [
  ...['tenant_id', 'workspace_id', 'kind', 'namespace', 'name', 'uid', 'generation', 'revision', 'labels', 'annotations'],
  ...['definition', 'status', 'provider_name', 'external_name', 'available', 'created_at', 'updated_at'],
]
  .map((column) => `r.${column}`)
  .join(', ');

/** `r` is the resource of `$1` to `$5`: the first wall, before any policy. */
export const isResource = 'r.tenant_id = $1 AND r.workspace_id = $2 AND r.kind = $3 AND r.namespace = $4 AND r.name = $5';

export function toResource(row: ResourceRow): StoredResource {
  return {
    tenantId: row.tenant_id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    uid: row.uid,
    generation: row.generation,
    revision: row.revision,
    labels: row.labels,
    annotations: row.annotations,
    definition: row.definition,
    status: { ...row.status, ...toolStatus(row) },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** What a Tool's status says of its provider stands in columns: calls are resolved by them. */
function toolStatus({ namespace, provider_name, external_name, available }: ResourceRow): Record<string, unknown> {
  if (provider_name === null || external_name === null) return {};
  return { providerId: toCanonicalId(namespace, provider_name), externalName: decodeText(external_name), available };
}

export interface GenerationRow {
  readonly uid: string;
  readonly generation: number;
  readonly definition: object;
  readonly changed_by: string;
  readonly changed_at: Date;
  readonly deleted_by: string | null;
  readonly deleted_at: Date | null;
}

export const toGeneration = (row: GenerationRow): ResourceGeneration => ({
  uid: row.uid,
  generation: row.generation,
  definition: row.definition,
  changedBy: row.changed_by,
  changedAt: row.changed_at.toISOString(),
  deletion: row.deleted_at && row.deleted_by !== null ? { deletedBy: row.deleted_by, deletedAt: row.deleted_at.toISOString() } : null,
});
