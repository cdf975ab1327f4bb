import type { OwnerKind, RunKey, Scope } from '@agentstration/contracts';
import type { EntityManager } from 'typeorm';
import { type StoredAttempt, fromAttemptRow } from '../tables/attempt-codec.ts';
import type { TableNames } from '../tables/generation-tables.ts';
import { decodeText, encodeText } from '../tables/text-codec.ts';
import { type RowsBefore, attemptKeyOf, callKeyOf, runKeyOf, workspaceKeyOf } from './fold-batch.ts';
import type { ProjectedMessage } from './journal-messages.ts';
import { type Column, Parameters, namesOf, rowsAsTable } from './rows.ts';

/** Reads the rows that these messages may touch. A Run that is not there yet has no attempts either. */
export async function loadRows(
  manager: EntityManager,
  t: TableNames,
  { messages, keys }: { readonly messages: readonly ProjectedMessage[]; readonly keys: RowsBefore['keys'] },
): Promise<RowsBefore> {
  const before: RowsBefore = { workspaces: new Map(), runs: new Map(), attempts: new Map(), attemptCounts: new Map(), keys };
  await loadWorkspaces({ manager, t, before }, messages);
  await loadRuns({ manager, t, before }, messages);
  await loadAttempts({ manager, t, before }, messages);
  return before;
}

interface Loading {
  readonly manager: EntityManager;
  readonly t: TableNames;
  readonly before: RowsBefore;
}

/** `SELECT … FROM <wanted rows> AS w (…) <join>`, or nothing when no row is wanted. */
async function select<Row>(manager: EntityManager, sought: Sought, join: string): Promise<Row[]> {
  if (sought.rows.length === 0) return [];
  const parameters = new Parameters();
  const source = rowsAsTable(sought.rows, sought.columns, parameters);
  return manager.query(`SELECT ${sought.select} FROM ${source} AS w (${namesOf(sought.columns)}) ${join}`, parameters.values);
}
interface Sought {
  readonly rows: readonly Record<string, string | number>[];
  readonly columns: readonly Column<Record<string, string | number>>[];
  readonly select: string;
}

async function loadWorkspaces({ manager, t, before }: Loading, messages: readonly ProjectedMessage[]): Promise<void> {
  const scopes = new Map(messages.flatMap(({ scope }) => (scope ? [[workspaceKeyOf(scope), scope] as const] : [])));
  type Stored = { workspace_key: number; tenant_id: string; workspace_id: string; last_sequence: string };
  const found = await select<Stored>(
    manager,
    {
      rows: [...scopes.values()].map(({ tenantId, workspaceId }: Scope) => ({ tenant_id: tenantId, workspace_id: workspaceId })),
      columns: [
        ['tenant_id', 'text'],
        ['workspace_id', 'text'],
      ],
      select: 't.workspace_key, tenant_id, workspace_id, t.last_sequence',
    },
    `JOIN ${t.workspace} AS t USING (tenant_id, workspace_id)`,
  );
  for (const stored of found) {
    const row = { ...stored, last_sequence: Number(stored.last_sequence) };
    before.workspaces.set(workspaceKeyOf({ tenantId: row.tenant_id, workspaceId: row.workspace_id }), { row, isNew: false });
  }
}

async function loadRuns({ manager, t, before }: Loading, messages: readonly ProjectedMessage[]): Promise<void> {
  const wanted = new Map<string, Record<string, string | number>>();
  for (const { position } of messages) {
    const workspace = position && before.workspaces.get(workspaceKeyOf(position));
    if (!workspace) continue;
    const { workspace_key } = workspace.row;
    wanted.set(runKeyOf(workspace_key, position), { workspace_key, owner_kind: position.ownerKind, run_id: encodeText(position.runId) });
  }
  type Stored = { run_key: string; workspace_key: number; owner_kind: string; run_id: string; last_sequence: string };
  const found = await select<Stored>(
    manager,
    {
      rows: [...wanted.values()],
      columns: [
        ['workspace_key', 'integer'],
        ['owner_kind', 'text'],
        ['run_id', 'text'],
      ],
      select: 't.run_key, workspace_key, owner_kind, run_id, t.last_sequence',
    },
    `JOIN ${t.run} AS t USING (workspace_key, run_id, owner_kind)`,
  );
  for (const stored of found) {
    const row = { ...stored, run_key: Number(stored.run_key), last_sequence: Number(stored.last_sequence) };
    before.runs.set(runKeyOf(row.workspace_key, { ownerKind: row.owner_kind, runId: decodeText(row.run_id) }), { row, isNew: false });
  }
}

async function loadAttempts({ manager, t, before }: Loading, messages: readonly ProjectedMessage[]): Promise<void> {
  const attempts = new Map<string, Record<string, string | number>>();
  const calls = new Map<string, Record<string, string | number>>();
  const owners = new Map<number, { ownerKind: OwnerKind; runId: string }>();
  for (const { position, fact } of messages) {
    const run = position && storedRun(before, position);
    if (!run || !fact || !('toolCallId' in fact.data)) continue;
    const { ownerKind, runId, toolCallId, invocationId } = fact.data;
    const call = { run_key: run.run_key, tool_call_id: encodeText(toolCallId) };
    owners.set(run.run_key, { ownerKind, runId });
    calls.set(callKeyOf(run.run_key, toolCallId), call);
    attempts.set(attemptKeyOf(run.run_key, fact.data), { ...call, invocation_id: encodeText(invocationId) });
  }
  const callColumns: Sought['columns'] = [
    ['run_key', 'bigint'],
    ['tool_call_id', 'text'],
  ];
  const found = await select<StoredAttempt>(
    manager,
    { rows: [...attempts.values()], columns: [...callColumns, ['invocation_id', 'text']], select: 't.*' },
    `JOIN ${t.attempt} AS t USING (run_key, tool_call_id, invocation_id)`,
  );
  for (const row of found) {
    const runKey = Number(row.run_key);
    const state = fromAttemptRow(row, owners.get(runKey)!);
    const place = { runKey, workspaceKey: row.workspace_key, ordinal: row.ordinal };
    before.attempts.set(attemptKeyOf(runKey, state), { ...place, state, isNew: false, changed: false });
  }
  const counts = await select<{ run_key: string; tool_call_id: string; ordinal: number }>(
    manager,
    { rows: [...calls.values()], columns: callColumns, select: 'run_key, tool_call_id, t.ordinal' },
    `JOIN LATERAL (SELECT ordinal FROM ${t.attempt} AS a WHERE a.run_key = w.run_key AND a.tool_call_id = w.tool_call_id
       ORDER BY ordinal DESC LIMIT 1) AS t ON true`,
  );
  for (const { run_key, tool_call_id, ordinal } of counts) {
    before.attemptCounts.set(callKeyOf(Number(run_key), decodeText(tool_call_id)), ordinal);
  }
}

function storedRun(before: RowsBefore, position: RunKey) {
  const workspace = before.workspaces.get(workspaceKeyOf(position));
  return workspace && before.runs.get(runKeyOf(workspace.row.workspace_key, position))?.row;
}
