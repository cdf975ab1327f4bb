import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forwardOnly } from './forward-only.ts';
import { workspaceScoped } from './workspace-policy.ts';

const id = 'text COLLATE "C" NOT NULL';

/** What a Run is made with never changes: only its cancellation may be written later, and only that is granted. */
const runs = `CREATE TABLE agentstration.runs (
  position bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id ${id},
  workspace_id ${id},
  owner_kind ${id} CHECK (owner_kind IN ('RuntimeRun', 'FlowRun')),
  run_id ${id},
  agent_id text,
  principal_id text NOT NULL,
  persist_tool_arguments boolean,
  retry_of text,
  tool_calls json NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  cancelled_at timestamptz(3),
  cancelled_by text,
  PRIMARY KEY (tenant_id, workspace_id, run_id, owner_kind)
)`;

const outbox = `CREATE TABLE agentstration.outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id ${id},
  workspace_id ${id},
  message_id ${id},
  kind ${id} CHECK (kind IN ('fact', 'tool-request')),
  subject ${id},
  payload text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  claims integer NOT NULL DEFAULT 0,
  leased_until timestamptz(3),
  sent_at timestamptz(3),
  UNIQUE (tenant_id, workspace_id, kind, message_id),
  CONSTRAINT payload_until_sent CHECK ((payload IS NULL) = (sent_at IS NOT NULL))
)`;

const statements = [
  runs,
  outbox,
  `CREATE INDEX runs_newest_first ON agentstration.runs (tenant_id, workspace_id, position) WHERE position > 0`,
  `CREATE INDEX outbox_unsent ON agentstration.outbox (position) WHERE sent_at IS NULL`,
  `CREATE INDEX outbox_unsent_facts ON agentstration.outbox (subject, position) WHERE sent_at IS NULL AND kind = 'fact'`,
  `CREATE INDEX outbox_sent ON agentstration.outbox (sent_at) WHERE sent_at IS NOT NULL`,
  ...['agentstration.runs', 'agentstration.outbox'].flatMap(workspaceScoped),
  // The dispatcher of the management API sends the messages of every Workspace. It never writes new ones.
  ...['SELECT', 'UPDATE', 'DELETE'].map(
    (command) => `CREATE POLICY dispatch_${command.toLowerCase()} ON agentstration.outbox FOR ${command} TO agentstration_api
      USING (current_setting('agentstration.workspace', true) = '*')`,
  ),
  `GRANT SELECT, INSERT, UPDATE (cancelled_at, cancelled_by) ON agentstration.runs TO agentstration_api`,
  `GRANT SELECT, INSERT, DELETE, UPDATE (payload, claims, leased_until, sent_at) ON agentstration.outbox TO agentstration_api`,
  `GRANT SELECT ON agentstration.runs TO agentstration_executor, agentstration_projector`,
];

export class RunsAndOutbox1764547200002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down = forwardOnly;
}
