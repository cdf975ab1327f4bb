import { type Scope, matches, parseCanonicalId, toCanonicalId } from '@agentstration/contracts';
import type { AttemptQuery } from '@agentstration/governance';
import type { Statement } from '../connection/scoped-query.ts';

/**
 * One row per attempt, all of one snapshot. A hook is found by the places that the triggers keep; a place whose hook is
 * not there still counts: what cannot be explained must not be left out. `OFFSET 0` keeps each step a look-up by a whole
 * key, in this order, whatever the planner knows of the tables. JSON stays text: equal texts are read once.
 */
const text = `SELECT (q.ordinal - 1)::integer AS query,
    tool.name IS NOT NULL AND provider.generation IS NOT NULL AS known,
    tool.external_name, tool.available, tool.definition AS tool_definition, tool.provider_name,
    provider.generation AS provider_generation, provider.definition AS provider_definition, provider.deleted AS provider_deleted,
    run.created_at IS NOT NULL AS registered, run.cancelled_at IS NOT NULL AS cancelled, run.persist_tool_arguments, hooks.found AS hooks
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    WITH ORDINALITY q (tool_id, namespace, name, agent_id, owner_kind, run_id, ordinal)
  LEFT JOIN LATERAL (
    SELECT t.name, t.external_name, t.available, t.definition::text, t.provider_name,
      CASE WHEN t.namespace = 'default' THEN t.provider_name ELSE t.namespace || '/' || t.provider_name END AS provider_id
    FROM agentstration.resources t
    WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND t.kind = 'Tool' AND t.namespace = q.namespace AND t.name = q.name
      AND t.deleted_at IS NULL OFFSET 0) tool ON true
  LEFT JOIN LATERAL (
    SELECT p.generation, p.definition::text, p.deleted_at IS NOT NULL AS deleted
    FROM agentstration.resources p
    WHERE p.tenant_id = $1 AND p.workspace_id = $2 AND p.kind = 'ToolProvider' AND p.namespace = q.namespace
      AND p.name = tool.provider_name OFFSET 0) provider ON true
  LEFT JOIN LATERAL (
    SELECT r.created_at, r.cancelled_at, r.persist_tool_arguments
    FROM agentstration.runs r
    WHERE r.tenant_id = $1 AND r.workspace_id = $2 AND r.run_id = q.run_id AND r.owner_kind = q.owner_kind OFFSET 0) run ON true
  LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(h.tenant_id, h.workspace_id, h.namespace, h.name, h.generation, h.definition))::text AS found
    FROM agentstration.hook_anchors a
    LEFT JOIN LATERAL (
      SELECT r.tenant_id, r.workspace_id, r.namespace, r.name, r.generation, r.definition
      FROM agentstration.resources r
      WHERE r.tenant_id = $1 AND r.workspace_id = $2 AND r.kind = 'ToolExecutionHook' AND r.namespace = a.namespace
        AND r.name = a.name AND r.deleted_at IS NULL OFFSET 0) h ON true
    WHERE a.tenant_id = $1 AND a.workspace_id = $2 AND a.tool_id = ANY (ARRAY['', q.tool_id])
      AND a.provider_id = ANY (ARRAY['', tool.provider_id]) AND a.agent_id = ANY (ARRAY['', q.agent_id])) hooks ON true`;

/** A row of the answer. */
export interface ResolutionRow {
  readonly query: number;
  readonly known: boolean;
  readonly external_name: string;
  readonly available: boolean;
  readonly tool_definition: string;
  readonly provider_name: string;
  readonly provider_generation: number;
  readonly provider_definition: string;
  readonly provider_deleted: boolean;
  readonly registered: boolean;
  readonly cancelled: boolean;
  readonly persist_tool_arguments: boolean | null;
  /** A JSON list of {@link FoundHook}; null when no hook may match. */
  readonly hooks: string | null;
}

/** Tenant, Workspace, namespace, name, generation and definition; all null for a place whose hook is not there. */
export type FoundHook = readonly [string | null, string | null, string | null, string | null, number | null, unknown];

/** Resolves any number of attempts of one Workspace. */
export function resolutionStatement(scope: Scope, queries: readonly AttemptQuery[]): Statement {
  const tools = queries.map(({ toolId }) => parseExactly(toolId));
  return {
    name: 'resolve_attempts',
    text,
    values: [
      scope.tenantId,
      scope.workspaceId,
      tools.map(({ toolId }) => toolId),
      tools.map(({ namespace }) => namespace),
      tools.map(({ name }) => name),
      queries.map(({ agentId }) => agentId),
      queries.map(({ ownerKind }) => ownerKind),
      queries.map(({ runId }) => runId),
    ],
  };
}

/** `default/echo` is not `echo`: selectors compare ids as they are written, so only the canonical one finds the Tool. */
function parseExactly(toolId: string): { readonly toolId: string; readonly namespace: string; readonly name: string } {
  const parsed = parseCanonicalId(toolId);
  const canonical = matches('canonicalId', toolId) && toCanonicalId(parsed.namespace, parsed.name) === toolId;
  return canonical ? { toolId, ...parsed } : { toolId: '', namespace: '', name: '' };
}
