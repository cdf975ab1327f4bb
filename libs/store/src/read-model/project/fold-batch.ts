import { createHash } from 'node:crypto';
import type { Fact, ToolFact } from '@agentstration/contracts';
import { type Numbered, type TracedAttempt, evolveAttempt, isToolFact, toRecord } from '@agentstration/governance';
import { encodeText } from '../tables/text-codec.ts';
import type { DeadLetterRow, HourRow, MessageRow, RecordOutcomeRow, RecordRow, RunRow, WorkspaceRow } from './batch-rows.ts';
import type { ProjectedMessage } from './journal-messages.ts';
import { toEvaluationRows, toRecordRow } from './record-rows.ts';

/** A row, and whether its table does not have it yet. */
export interface Entry<Row> {
  readonly row: Row;
  readonly isNew: boolean;
}
export interface AttemptEntry {
  readonly runKey: number;
  readonly workspaceKey: number;
  readonly ordinal: number;
  readonly isNew: boolean;
  state: TracedAttempt;
  changed: boolean;
}

/** The rows that the batch may touch, as they stand before it. Keys are made by the functions below. */
export interface RowsBefore {
  readonly workspaces: Map<string, Entry<WorkspaceRow>>;
  readonly runs: Map<string, Entry<RunRow>>;
  readonly attempts: Map<string, AttemptEntry>;
  /** Tool Call -> how many attempts it has. */
  readonly attemptCounts: Map<string, number>;
  /** How many keys were given out. */
  readonly keys: { workspaces: number; runs: number };
}

export const workspaceKeyOf = (scope: { tenantId: string; workspaceId: string }): string => `${scope.tenantId}/${scope.workspaceId}`;
export const runKeyOf = (workspaceKey: number, run: { ownerKind: string; runId: string }): string =>
  `${workspaceKey} ${run.ownerKind} ${run.runId}`;
export const callKeyOf = (runKey: number, toolCallId: string): string => `${runKey} ${toolCallId}`;
export const attemptKeyOf = (runKey: number, data: { toolCallId: string; invocationId: string }): string =>
  `${runKey} ${data.toolCallId} ${data.invocationId}`;

/** Folds a batch of messages into rows, in memory and in order, so that every table is written once. */
export class BatchFold {
  readonly messages: MessageRow[] = [];
  readonly payloads: (Uint8Array | null)[] = [];
  readonly records = new Map<string, RecordRow>();
  readonly evaluations: ReturnType<typeof toEvaluationRows> = [];
  /** Outcomes of records that earlier batches opened. */
  readonly endedRecords: RecordOutcomeRow[] = [];
  readonly hours = new Map<string, HourRow>();
  readonly deadLetters: DeadLetterRow[] = [];

  constructor(readonly before: RowsBefore) {}

  add(message: ProjectedMessage): void {
    const row = this.#number(message);
    this.messages.push(row);
    this.payloads.push(message.fact ? message.payload : null);
    if (!message.fact) this.deadLetters.push(toDeadLetter(message, row));
    else if (row.run_key !== null && row.run_sequence !== null && row.workspace_sequence !== null) this.#apply(message.fact, row);
  }

  /** Gives the message its numbers, by its subject alone. */
  #number({ sequence, storedAt, scope, position }: ProjectedMessage): MessageRow {
    const workspace = scope && this.#workspace(scope);
    const run = workspace && position && this.#run(workspace.workspace_key, position);
    return {
      journal_sequence: sequence,
      workspace_key: workspace?.workspace_key ?? null,
      workspace_sequence: workspace ? (workspace.last_sequence += 1) : null,
      run_key: run?.run_key ?? null,
      run_sequence: run ? (run.last_sequence += 1) : null,
      record_sequence: null,
      stored_at: storedAt,
    };
  }

  #workspace(scope: { tenantId: string; workspaceId: string }): WorkspaceRow {
    const { workspaces, keys } = this.before;
    const key = workspaceKeyOf(scope);
    const known = workspaces.get(key);
    if (known) return known.row;
    const row = { workspace_key: (keys.workspaces += 1), tenant_id: scope.tenantId, workspace_id: scope.workspaceId, last_sequence: 0 };
    workspaces.set(key, { row, isNew: true });
    return row;
  }

  #run(workspaceKey: number, run: { ownerKind: string; runId: string }): RunRow {
    const { runs, keys } = this.before;
    const key = runKeyOf(workspaceKey, run);
    const known = runs.get(key);
    if (known) return known.row;
    const row: RunRow = {
      run_key: (keys.runs += 1),
      workspace_key: workspaceKey,
      owner_kind: run.ownerKind,
      run_id: encodeText(run.runId),
      last_sequence: 0,
    };
    runs.set(key, { row, isNew: true });
    return row;
  }

  #apply(fact: Fact, row: MessageRow): void {
    const numbered: Numbered = { fact, sequence: row.run_sequence!, workspaceSequence: row.workspace_sequence! };
    if (!isToolFact(numbered)) return;
    const entry = this.#attempt({ runKey: row.run_key!, workspaceKey: row.workspace_key! }, numbered);
    const before = entry.isNew && !entry.changed ? undefined : entry.state;
    entry.state = evolveAttempt(before, numbered);
    entry.changed = true;
    this.#trackRecord(before, entry.state, { numbered, row });
  }

  #attempt(place: { readonly runKey: number; readonly workspaceKey: number }, numbered: Numbered<ToolFact>): AttemptEntry {
    const { runKey } = place;
    const { attempts, attemptCounts } = this.before;
    const { data } = numbered.fact;
    const key = attemptKeyOf(runKey, data);
    const known = attempts.get(key);
    if (known) return known;
    const call = callKeyOf(runKey, data.toolCallId);
    const ordinal = (attemptCounts.get(call) ?? 0) + 1;
    attemptCounts.set(call, ordinal);
    const entry: AttemptEntry = { ...place, ordinal, isNew: true, changed: false, state: evolveAttempt(undefined, numbered) };
    attempts.set(key, entry);
    return entry;
  }

  /** Opens the record of the attempt, or ends it, when this message does. */
  #trackRecord(
    before: TracedAttempt | undefined,
    after: TracedAttempt,
    { numbered, row }: { numbered: Numbered<ToolFact>; row: MessageRow },
  ): void {
    const key = `${row.workspace_key} ${after.governance?.workspaceSequence}`;
    if (!before?.governance && after.governance) {
      this.#openRecord(key, after, { numbered, row });
    } else if (!before?.ending && after.ending && after.governance) {
      const outcome = { outcome: after.ending.outcome, outcome_sequence: after.ending.workspaceSequence };
      row.record_sequence = after.governance.workspaceSequence;
      const opened = this.records.get(key);
      if (opened) Object.assign(opened, outcome);
      else this.endedRecords.push({ workspace_key: row.workspace_key!, workspace_sequence: row.record_sequence, ...outcome });
    }
  }

  #openRecord(key: string, attempt: TracedAttempt, { numbered, row }: { numbered: Numbered<ToolFact>; row: MessageRow }): void {
    const record = toRecord(numbered as Parameters<typeof toRecord>[0], attempt.ending?.outcome ?? null);
    const opened = toRecordRow(record, { row, endedBy: attempt.ending?.workspaceSequence ?? null });
    row.record_sequence = opened.workspace_sequence;
    this.records.set(key, opened);
    this.evaluations.push(...toEvaluationRows(record, opened.workspace_key));
    this.#widenHour(opened);
  }

  /** Which numbers the records of an hour have: how a time becomes a range of numbers. */
  #widenHour({ workspace_key, workspace_sequence, recorded_at }: RecordRow): void {
    const hour = Math.floor(recorded_at / 3_600_000);
    const key = `${workspace_key} ${hour}`;
    const known = this.hours.get(key);
    if (known) known.last_sequence = workspace_sequence;
    else this.hours.set(key, { workspace_key, hour, first_sequence: workspace_sequence, last_sequence: workspace_sequence });
  }
}

const toDeadLetter = (message: ProjectedMessage, row: MessageRow): DeadLetterRow => ({
  journal_sequence: message.sequence,
  workspace_key: row.workspace_key,
  workspace_sequence: row.workspace_sequence,
  subject: encodeText(message.subject),
  reason: encodeText(message.reason ?? 'unreadable'),
  payload_size: message.payload.byteLength,
  payload_sha256: createHash('sha256').update(message.payload).digest('hex'),
  stored_at: message.storedAt,
});
