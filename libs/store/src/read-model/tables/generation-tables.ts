/**
 * The version of the tables and of what the projection writes into them. A change of either needs a new number: what was
 * made in another format is not read, until `projector rebuild` has made a generation of this one.
 */
export const readModelFormat = 2;

const text = 'text COLLATE "C"';

/** The tables of a generation, without their suffix. Each row is a function of the Journal up to the checkpoint. */
export const generationTables = [
  'workspace',
  'run',
  'message',
  'attempt',
  'record',
  'record_outcome',
  'evaluation',
  'hour',
  'dead_letter',
] as const;
export type GenerationTable = (typeof generationTables)[number];

/** The qualified name of a table of a generation, such as `read_model.record_3`. */
export type TableNames = Readonly<Record<GenerationTable, string>>;

const names = new Map<number, TableNames>();

/** @param generation a positive integer; it becomes part of SQL text */
export function tablesOf(generation: number): TableNames {
  if (!Number.isSafeInteger(generation) || generation < 1) throw new TypeError(`Not a generation: ${generation}`);
  const known = names.get(generation);
  if (known) return known;
  const made = Object.fromEntries(generationTables.map((table) => [table, `read_model.${table}_${generation}`])) as TableNames;
  names.set(generation, made);
  return made;
}

/**
 * The statements that create the tables of a generation. Keys of Workspaces and Runs are small numbers in the order of
 * their first message, which every rebuild assigns alike. Times are milliseconds since 1970. A record is a document with
 * columns for what is looked for: readers get the document as it is.
 */
export const createTables = (generation: number): string[] => {
  const t = tablesOf(generation);
  return [
    `CREATE TABLE ${t.workspace} (
      workspace_key integer PRIMARY KEY,
      tenant_id ${text} NOT NULL,
      workspace_id ${text} NOT NULL,
      last_sequence bigint NOT NULL,
      removed_through bigint NOT NULL,
      UNIQUE (tenant_id, workspace_id)
    ) WITH (fillfactor = 50)`,
    `CREATE TABLE ${t.run} (
      run_key bigint PRIMARY KEY,
      workspace_key integer NOT NULL,
      owner_kind ${text} NOT NULL,
      run_id ${text} NOT NULL,
      last_sequence bigint NOT NULL,
      UNIQUE (workspace_key, run_id, owner_kind)
    ) WITH (fillfactor = 80)`,
    `CREATE TABLE ${t.message} (
      journal_sequence bigint NOT NULL,
      workspace_key integer,
      workspace_sequence bigint,
      run_key bigint,
      run_sequence bigint,
      record_sequence bigint,
      stored_at bigint NOT NULL,
      payload bytea
    )`,
    ...attemptTable(t),
    ...recordTables(t),
    `CREATE TABLE ${t.hour} (
      workspace_key integer NOT NULL,
      hour integer NOT NULL,
      first_sequence bigint NOT NULL,
      last_sequence bigint NOT NULL,
      PRIMARY KEY (workspace_key, hour)
    ) WITH (fillfactor = 50)`,
    `CREATE TABLE ${t.dead_letter} (
      journal_sequence bigint PRIMARY KEY,
      workspace_key integer,
      workspace_sequence bigint,
      subject ${text} NOT NULL,
      reason ${text} NOT NULL,
      payload_size integer NOT NULL,
      payload_sha256 bytea NOT NULL,
      stored_at bigint NOT NULL
    )`,
  ];
};

const attemptTable = (t: TableNames): string[] => [
  `CREATE TABLE ${t.attempt} (
    run_key bigint NOT NULL,
    workspace_key integer NOT NULL,
    tool_call_id ${text} NOT NULL,
    ordinal integer NOT NULL,
    invocation_id ${text} NOT NULL,
    attempt integer NOT NULL,
    request_id ${text} NOT NULL,
    tool_id ${text} NOT NULL,
    tool_name ${text},
    provider_id ${text},
    external_tool_id ${text},
    agent_id ${text} NOT NULL,
    principal_id ${text},
    correlation_id ${text},
    first_sequence bigint NOT NULL,
    last_workspace_sequence bigint NOT NULL,
    started_at bigint,
    governance ${text},
    ending ${text},
    late_ending ${text},
    PRIMARY KEY (run_key, tool_call_id, ordinal)
  ) WITH (fillfactor = 80)`,
];

const recordTables = (t: TableNames): string[] => [
  `CREATE TABLE ${t.record} (
    workspace_key integer NOT NULL,
    workspace_sequence bigint NOT NULL,
    run_key bigint NOT NULL,
    run_sequence bigint NOT NULL,
    recorded_at bigint NOT NULL,
    tool_call_id ${text} NOT NULL,
    invocation_id ${text} NOT NULL,
    tool_id ${text} NOT NULL,
    provider_id ${text},
    agent_id ${text} NOT NULL,
    decision ${text} NOT NULL,
    any_allowed boolean NOT NULL,
    any_denied boolean NOT NULL,
    any_failed boolean NOT NULL,
    document ${text} NOT NULL,
    arguments ${text},
    outcome ${text},
    outcome_sequence bigint,
    PRIMARY KEY (workspace_key, workspace_sequence)
  ) WITH (fillfactor = 90)`,
  `CREATE TABLE ${t.record_outcome} (
    workspace_key integer NOT NULL,
    outcome ${text} NOT NULL,
    workspace_sequence bigint NOT NULL,
    PRIMARY KEY (workspace_key, outcome, workspace_sequence)
  )`,
  `CREATE TABLE ${t.evaluation} (
    workspace_key integer NOT NULL,
    workspace_sequence bigint NOT NULL,
    position smallint NOT NULL,
    hook_id ${text} NOT NULL,
    resource_id ${text},
    resource_generation bigint,
    decision ${text} NOT NULL,
    PRIMARY KEY (workspace_key, workspace_sequence, position)
  )`,
];

/** The statements that create the indexes: each filter of the read API has one that also gives the order of the answer. */
export const createIndexes = (generation: number): string[] => {
  const t = tablesOf(generation);
  return [
    `CREATE INDEX ON ${t.message} USING brin (journal_sequence)`,
    `CREATE UNIQUE INDEX ON ${t.message} (workspace_key, workspace_sequence)`,
    `CREATE UNIQUE INDEX ON ${t.message} (run_key, run_sequence)`,
    `CREATE INDEX ON ${t.attempt} (run_key, first_sequence) WHERE ordinal = 1`,
    `CREATE UNIQUE INDEX ON ${t.record} (run_key, run_sequence)`,
    `CREATE INDEX ON ${t.record} (invocation_id)`,
    ...['tool_call_id', 'tool_id', 'provider_id', 'agent_id'].map(
      (column) => `CREATE INDEX ON ${t.record} (workspace_key, ${column}, workspace_sequence)`,
    ),
    ...['any_allowed', 'any_denied', 'any_failed'].map(
      (flag) => `CREATE INDEX ON ${t.record} (workspace_key, workspace_sequence) WHERE ${flag}`,
    ),
    `CREATE INDEX ON ${t.evaluation} (workspace_key, hook_id, workspace_sequence)`,
    `CREATE INDEX ON ${t.evaluation} (workspace_key, resource_id, workspace_sequence) WHERE resource_id IS NOT NULL`,
    `CREATE INDEX ON ${t.evaluation} (workspace_key, resource_generation, workspace_sequence) WHERE resource_generation IS NOT NULL`,
    `CREATE INDEX ON ${t.dead_letter} (workspace_key, workspace_sequence)`,
  ];
};
