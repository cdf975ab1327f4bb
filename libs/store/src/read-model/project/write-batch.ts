import type { EntityManager } from 'typeorm';
import { toAttemptRow } from '../tables/attempt-codec.ts';
import type { TableNames } from '../tables/generation-tables.ts';
import {
  type DeadLetterRow,
  type HourRow,
  type MessageRow,
  type RecordOutcomeRow,
  attemptIdentity,
  attemptKey,
  attemptProgress,
  evaluationColumns,
  hourColumns,
  messageColumns,
  outcomeColumn,
  outcomeSequenceColumn,
  recordColumns,
  recordKey,
  runColumns,
  workspaceColumns,
} from './batch-rows.ts';
import type { BatchFold, Entry } from './fold-batch.ts';
import { type Column, Parameters, insertRows, namesOf, rowsAsTable, updateRows } from './rows.ts';

/** Writes what a batch came to: at most one statement per table for new rows, and one for changed ones. */
export async function writeBatch(manager: EntityManager, t: TableNames, fold: BatchFold): Promise<void> {
  await writeCounters(manager, t, fold);
  await insertMessages(manager, t.message, fold);
  await writeAttempts(manager, t.attempt, fold);
  await writeRecords(manager, t, fold);
  await widenHours(manager, t.hour, [...fold.hours.values()]);
  await insertDeadLetters(manager, t.dead_letter, fold.deadLetters);
}

async function writeCounters(manager: EntityManager, t: TableNames, { before }: BatchFold): Promise<void> {
  const counter = <Row extends { last_sequence: number }>(columns: readonly Column<Row>[]) => ({
    keys: columns.slice(0, 1),
    columns: columns.slice(-1),
  });
  const [newWorkspaces, workspaces] = split([...before.workspaces.values()]);
  // What retention removed is no part of a new Workspace.
  await insertRows(manager, t.workspace, {
    rows: newWorkspaces.map((row) => ({ ...row, removed_through: 0 })),
    columns: [...workspaceColumns, ['removed_through', 'bigint']],
  });
  await updateRows(manager, t.workspace, { rows: workspaces, ...counter(workspaceColumns) });
  const [newRuns, runs] = split([...before.runs.values()]);
  await insertRows(manager, t.run, { rows: newRuns, columns: runColumns });
  await updateRows(manager, t.run, { rows: runs, ...counter(runColumns) });
}

function split<Row>(entries: readonly Entry<Row>[]): [inserted: Row[], updated: Row[]] {
  const rows = (isNew: boolean): Row[] => entries.filter((entry) => entry.isNew === isNew).map(({ row }) => row);
  return [rows(true), rows(false)];
}

type PayloadSlice = MessageRow & { readonly start: number | null; readonly length: number };

/** All payloads travel as one binary parameter that the server cuts: no escaping, no text form. */
async function insertMessages(manager: EntityManager, table: string, { messages, payloads }: BatchFold): Promise<void> {
  let start = 1;
  const rows = messages.map((row, index): PayloadSlice => {
    const length = payloads[index]?.byteLength ?? 0;
    const slice = { ...row, start: payloads[index] ? start : null, length };
    start += length;
    return slice;
  });
  const columns: Column<PayloadSlice>[] = [...messageColumns, ['start', 'integer'], ['length', 'integer']];
  const parameters = new Parameters();
  const all = parameters.add(Buffer.concat(payloads.filter((payload) => payload !== null)));
  await manager.query(
    `INSERT INTO ${table} (${namesOf(messageColumns)}, payload)
     SELECT ${namesOf(messageColumns)}, substr(${all}::bytea, start, length)
     FROM ${rowsAsTable(rows, columns, parameters)} AS m (${namesOf(columns)})`,
    parameters.values,
  );
}

async function writeAttempts(manager: EntityManager, table: string, { before }: BatchFold): Promise<void> {
  const entries = [...before.attempts.values()].filter(({ changed }) => changed);
  const rows = (isNew: boolean) =>
    entries
      .filter((entry) => entry.isNew === isNew)
      .map(({ state, runKey, workspaceKey, ordinal }) => toAttemptRow(state, { run_key: runKey, workspace_key: workspaceKey, ordinal }));
  await insertRows(manager, table, { rows: rows(true), columns: [...attemptKey, ...attemptIdentity, ...attemptProgress] });
  await updateRows(manager, table, { rows: rows(false), keys: attemptKey, columns: attemptProgress });
}

async function writeRecords(manager: EntityManager, t: TableNames, { records, endedRecords, evaluations }: BatchFold): Promise<void> {
  const opened = [...records.values()];
  await insertRows(manager, t.record, { rows: opened, columns: recordColumns });
  await insertRows(manager, t.record_outcome, {
    rows: opened.map((record): RecordOutcomeRow => ({ ...record, outcome: record.outcome ?? 'Running' })),
    columns: [...recordKey, outcomeColumn],
  });
  await insertRows(manager, t.evaluation, { rows: evaluations, columns: evaluationColumns });
  await updateRows(manager, t.record, { rows: endedRecords, keys: recordKey, columns: [outcomeColumn, outcomeSequenceColumn] });
  await endOutcomes(manager, t.record_outcome, endedRecords);
}

async function endOutcomes(manager: EntityManager, table: string, rows: readonly RecordOutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  const columns = [...recordKey, outcomeColumn];
  await manager.query(
    `UPDATE ${table} AS t SET outcome = s.outcome FROM ${rowsAsTable(rows, columns, parameters)} AS s (${namesOf(columns)})
     WHERE t.workspace_key = s.workspace_key AND t.outcome = 'Running' AND t.workspace_sequence = s.workspace_sequence`,
    parameters.values,
  );
}

async function widenHours(manager: EntityManager, table: string, rows: readonly HourRow[]): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  await manager.query(
    `INSERT INTO ${table} AS t (${namesOf(hourColumns)}) SELECT * FROM ${rowsAsTable(rows, hourColumns, parameters)}
     ON CONFLICT (workspace_key, hour) DO UPDATE SET first_sequence = least(t.first_sequence, EXCLUDED.first_sequence),
       last_sequence = greatest(t.last_sequence, EXCLUDED.last_sequence)`,
    parameters.values,
  );
}

async function insertDeadLetters(manager: EntityManager, table: string, rows: readonly DeadLetterRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns: Column<DeadLetterRow>[] = [
    ['journal_sequence', 'bigint'],
    ['workspace_key', 'integer'],
    ['workspace_sequence', 'bigint'],
    ['subject', 'text'],
    ['reason', 'text'],
    ['payload_size', 'integer'],
    ['stored_at', 'bigint'],
    ['payload_sha256', 'text'],
  ];
  const parameters = new Parameters();
  await manager.query(
    `INSERT INTO ${table} (${namesOf(columns)}) SELECT ${namesOf(columns.slice(0, -1))}, decode(payload_sha256, 'hex')
     FROM ${rowsAsTable(rows, columns, parameters)} AS d (${namesOf(columns)})`,
    parameters.values,
  );
}
