import type { Batch } from '../connection/shared-reads.ts';
import type { Statement } from '../connection/scoped-query.ts';
import { isResource, resourceColumns } from './resource-row.ts';
import type { Expectation, ResourceContent, ResourceKey } from './resource-store.ts';

export type ResourceStatement = Statement;

const identity = (key: ResourceKey): unknown[] => [key.tenantId, key.workspaceId, key.kind, key.namespace, key.name];
const texts = ({ labels, annotations, definition }: ResourceContent): string[] =>
  [labels, annotations, definition].map((part) => JSON.stringify(part));

/** `r` is live and as the writer saw it: `$6` its uid, `$7` its revision. */
const asExpected = `${isResource} AND r.deleted_at IS NULL AND r.uid = $6 AND r.revision = $7`;
const expectation = ({ uid, revision }: Expectation): unknown[] => [uid, revision];

export const get = (key: ResourceKey): Statement => ({
  name: 'get_resource',
  text: `SELECT ${resourceColumns} FROM agentstration.resources r WHERE ${isResource} AND r.deleted_at IS NULL`,
  values: identity(key),
});

/** Several resources of one Workspace, each with its place in `keys`; `OFFSET 0` keeps each a look-up by its whole key. */
export const getAll = (keys: Batch<ResourceKey>): Statement => ({
  name: 'get_resources',
  text: `SELECT (q.ordinal - 1)::integer AS question, ${resourceColumns}
    FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY q (kind, namespace, name, ordinal)
    JOIN LATERAL (
      SELECT * FROM agentstration.resources s WHERE s.tenant_id = $1 AND s.workspace_id = $2 AND s.kind = q.kind
        AND s.namespace = q.namespace AND s.name = q.name AND s.deleted_at IS NULL OFFSET 0) r ON true`,
  values: [
    keys[0].tenantId,
    keys[0].workspaceId,
    keys.map(({ kind }) => kind),
    keys.map(({ namespace }) => namespace),
    keys.map(({ name }) => name),
  ],
});

/** A deleted resource's row comes back to life; the triggers count on. */
export const create = (key: ResourceKey, content: ResourceContent, by: string): Statement => ({
  name: 'create_resource',
  text: `INSERT INTO agentstration.resources AS r
      (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, changed_by, status)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '{"conditions":[]}')
    ON CONFLICT ON CONSTRAINT resources_identity DO UPDATE SET labels = EXCLUDED.labels, annotations = EXCLUDED.annotations,
      definition = EXCLUDED.definition, changed_by = EXCLUDED.changed_by, status = EXCLUDED.status, deleted_at = NULL
    WHERE r.deleted_at IS NOT NULL
    RETURNING ${resourceColumns}`,
  values: [...identity(key), ...texts(content), by],
});

interface Replacement {
  readonly expected: Expectation;
  readonly content: ResourceContent;
  readonly by: string;
}

export const replace = (key: ResourceKey, { expected, content, by }: Replacement): Statement => ({
  name: 'replace_resource',
  text: `UPDATE agentstration.resources r SET labels = $8, annotations = $9, definition = $10, changed_by = $11
    WHERE ${asExpected} RETURNING ${resourceColumns}`,
  values: [...identity(key), ...expectation(expected), ...texts(content), by],
});

/** The Tools of a provider that goes cannot be called any more, and say so from the same moment on. */
export const remove = (key: ResourceKey, expected: Expectation, by: string): Statement => ({
  name: key.kind === 'ToolProvider' ? 'delete_provider' : 'delete_resource',
  text:
    key.kind === 'ToolProvider'
      ? `WITH gone AS (${deletion}), orphaned AS (
          UPDATE agentstration.resources t SET available = false FROM gone
          WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND t.kind = 'Tool' AND t.namespace = $4
            AND t.name > $5 || '.' AND t.name < $5 || '/' AND t.provider_name = $5 AND t.available)
        SELECT * FROM gone`
      : deletion,
  values: [...identity(key), ...expectation(expected), by],
});
const deletion = `UPDATE agentstration.resources r SET deleted_at = now(), changed_by = $8 WHERE ${asExpected} RETURNING ${resourceColumns}`;

export const setStatus = (key: ResourceKey, expected: Expectation, status: object): Statement => ({
  name: 'set_resource_status',
  text: `UPDATE agentstration.resources r SET status = $8 WHERE ${asExpected} RETURNING ${resourceColumns}`,
  values: [...identity(key), ...expectation(expected), JSON.stringify(status)],
});

const generationColumns = 'r.uid, r.generation, r.definition, r.changed_by, r.changed_at, r.deleted_by, r.deleted_at';

/** One more than asked for, to know whether there is more. */
export const listGenerations = (key: ResourceKey, page: { readonly limit: number; readonly before?: number }): Statement => ({
  name: 'list_generations',
  text: `SELECT ${generationColumns} FROM agentstration.resource_generations r
    WHERE ${isResource} AND r.generation < $6::bigint ORDER BY r.generation DESC LIMIT $7`,
  values: [...identity(key), page.before ?? Number.MAX_SAFE_INTEGER, page.limit + 1],
});

export const getGeneration = (key: ResourceKey, generation: number): Statement => ({
  name: 'get_generation',
  text: `SELECT ${generationColumns} FROM agentstration.resource_generations r WHERE ${isResource} AND r.generation = $6::bigint`,
  values: [...identity(key), generation],
});
