import { type ReadOperation, queries } from './documented.ts';

const filterProblems = ['invalid_resource_generation', 'invalid_decision', 'invalid_parameter'] as const;
const workspaceProblems = [...filterProblems, 'invalid_outcome', 'invalid_time'] as const;
const runPageProblems = ['invalid_after_sequence', 'invalid_limit', 'invalid_parameter'] as const;

/** How each route of the read API is documented. */
export const operations = {
  listRunRecords: {
    id: 'listGovernanceRecordsOfRun',
    summary: 'The governance records of a run, ascending: one per physical attempt whose hooks were evaluated',
    ofRun: true,
    query: [...queries.run, ...queries.runFilters],
    answer: { description: 'One page.', schema: 'RunRecords' },
    problems: [...runPageProblems, ...filterProblems],
  },
  listToolCalls: {
    id: 'listToolCallsOfRun',
    summary: 'The tool calls of a run with their state and latest attempt',
    ofRun: true,
    query: queries.run,
    answer: { description: 'One page.', schema: 'ToolCalls' },
    problems: runPageProblems,
  },
  listRunEvents: {
    id: 'listEventsOfRun',
    summary: 'All facts of a run in order',
    ofRun: true,
    query: queries.run,
    answer: { description: 'One page.', schema: 'RunEvents' },
    problems: runPageProblems,
  },
  listRecords: {
    id: 'listGovernanceRecords',
    summary: 'The governance records of all runs of the workspace, newest first',
    query: ['cursor', 'limit', 'waitFor', ...queries.filters],
    answer: { description: 'One page.', schema: 'WorkspaceRecords' },
    problems: [...workspaceProblems, 'invalid_limit', 'invalid_cursor'],
  },
  streamRecords: {
    id: 'streamGovernanceRecords',
    summary: 'New records, and again when their outcome changes; Last-Event-ID goes on where a stream ended',
    query: ['waitFor', ...queries.filters],
    answer: {
      description: 'Server-sent events `record`, and `removed` where retention has left a gap.',
      schema: 'GovernanceRecord',
      types: ['text/event-stream'],
    },
    problems: [...workspaceProblems, 'invalid_cursor'],
  },
  exportRecords: {
    id: 'exportGovernanceRecords',
    summary: 'All matching records, newest first',
    query: ['format', 'waitFor', ...queries.filters],
    answer: { description: 'A record per line.', schema: 'GovernanceRecord', types: ['application/x-ndjson', 'text/csv'] },
    problems: workspaceProblems,
  },
  summariseRecords: {
    id: 'summariseGovernance',
    summary: 'Counts by decision, outcome, tool, agent and hook over time',
    query: ['bucket', 'waitFor', ...queries.filters],
    answer: { description: 'The buckets that have records.', schema: 'Summary' },
    problems: workspaceProblems,
  },
  listDeadLetters: {
    id: 'listProjectionDeadLetters',
    summary: 'Journal messages of the workspace that are no fact that this version understands',
    query: queries.run,
    answer: { description: 'One page.', schema: 'ProjectionDeadLetters' },
    problems: runPageProblems,
  },
} as const satisfies Record<string, ReadOperation>;
