import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forwardOnly } from './forward-only.ts';
import { resourceTriggers } from './resource-triggers.ts';
import { workspaceScoped } from './workspace-policy.ts';

const id = 'text COLLATE "C" NOT NULL';

/**
 * One table for hooks, providers and tools: a row per name for ever, so that no generation can repeat.
 *
 * Each table has one index that any query may use; every other one begins with what only its own query asks for, or has the same
 * columns. So a plan that was made while the tables were small cannot turn into a slow one when they have grown.
 */
const resources = `CREATE TABLE agentstration.resources (
  tenant_id ${id},
  workspace_id ${id},
  kind ${id} CHECK (kind IN ('ToolExecutionHook', 'ToolProvider', 'Tool')),
  namespace ${id},
  name ${id},
  uid uuid NOT NULL DEFAULT gen_random_uuid(),
  generation integer NOT NULL DEFAULT 1,
  revision integer NOT NULL DEFAULT 1,
  labels jsonb NOT NULL,
  annotations json NOT NULL,
  definition json NOT NULL,
  status json NOT NULL,
  provider_name text COLLATE "C",
  external_name text COLLATE "C",
  available boolean,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_by text NOT NULL,
  deleted_at timestamptz(3),
  CONSTRAINT resources_identity PRIMARY KEY (tenant_id, workspace_id, kind, namespace, name),
  CONSTRAINT tools_have_a_provider CHECK ((kind = 'Tool') = (num_nulls(provider_name, external_name, available) = 0))
)`;

const generations = `CREATE TABLE agentstration.resource_generations (
  tenant_id ${id},
  workspace_id ${id},
  kind ${id},
  namespace ${id},
  name ${id},
  generation integer NOT NULL,
  uid uuid NOT NULL,
  definition json NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  deleted_by text,
  deleted_at timestamptz(3),
  PRIMARY KEY (tenant_id, workspace_id, kind, namespace, name, generation)
)`;

/** Where a hook is looked for: one row per combination of tool, provider and agent that it names; '' stands for any. */
const anchors = `CREATE TABLE agentstration.hook_anchors (
  tenant_id ${id},
  workspace_id ${id},
  tool_id ${id},
  provider_id ${id},
  agent_id ${id},
  namespace ${id},
  name ${id},
  PRIMARY KEY (tenant_id, workspace_id, tool_id, provider_id, agent_id, namespace, name)
)`;

const indexes = [
  `CREATE INDEX resources_live ON agentstration.resources (tenant_id, workspace_id, kind, namespace, name) WHERE deleted_at IS NULL`,
  `CREATE INDEX hook_anchors_of_a_hook ON agentstration.hook_anchors (tenant_id, workspace_id, namespace, name) WHERE name <> ''`,
];

const grants = [
  `GRANT SELECT, INSERT, UPDATE ON agentstration.resources TO agentstration_api`,
  `GRANT SELECT, INSERT, UPDATE (deleted_by, deleted_at) ON agentstration.resource_generations TO agentstration_api`,
  `GRANT SELECT, INSERT, DELETE ON agentstration.hook_anchors TO agentstration_api`,
  `GRANT SELECT ON agentstration.resources, agentstration.hook_anchors TO agentstration_executor`,
];

export class Resources1764547200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = ['resources', 'resource_generations', 'hook_anchors'].map((table) => `agentstration.${table}`);
    const statements = [resources, generations, anchors, ...indexes, ...tables.flatMap(workspaceScoped), ...grants, ...resourceTriggers];
    for (const statement of statements) await runner.query(statement);
  }

  down = forwardOnly;
}
