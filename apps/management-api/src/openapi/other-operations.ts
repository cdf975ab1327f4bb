import { type Operation, manifestTypes } from './operation.ts';

const run = ['ownerKind', 'runId'] as const;
const accepted = { description: 'Accepted; calls start as executors take them.', schema: 'Run', headers: ['Location'] } as const;

/** How the verbs that only one kind of thing has are documented. */
export const operations = {
  evaluateHooks: {
    id: 'evaluateToolExecutionHooks',
    tag: 'Hooks',
    summary: 'Explain what the managed hooks would make of a call',
    description: 'A dry run: nothing is recorded. Hooks that are registered in an executor’s process are not known here.',
    body: { schema: 'HookTarget', types: manifestTypes },
    answers: { 200: { description: 'The chain, its decision, and the hooks left out with the reason.', schema: 'HookEvaluation' } },
  },
  refreshToolProvider: {
    id: 'refreshToolProvider',
    tag: 'Tool providers',
    summary: 'Discover the provider’s tools now',
    description: 'New tools start disabled. What vanished becomes unavailable, keeps its settings and is never deleted.',
    parameters: ['resourceName', 'resourceNamespace'],
    answers: { 200: { description: 'What discovery did to the catalogue.', schema: 'DiscoverySummary' } },
    problems: ['conflict', 'provider_failed'],
  },
  createRun: {
    id: 'createRun',
    tag: 'Runs',
    summary: 'Start a manual runtime run, or register a run that is executed elsewhere',
    body: { schema: 'RunOrder', types: manifestTypes },
    answers: { 202: accepted },
    problems: ['already_exists'],
  },
  listRuns: {
    id: 'listRuns',
    tag: 'Runs',
    summary: 'List runs, newest first',
    parameters: ['limit', 'continue'],
    answers: { 200: { description: 'One page.', schema: 'RunList' } },
  },
  getRun: {
    id: 'getRun',
    tag: 'Runs',
    summary: 'Read a run with its status',
    parameters: run,
    answers: { 200: { description: 'The run.', schema: 'Run' } },
  },
  retryRun: {
    id: 'retryRun',
    tag: 'Runs',
    summary: 'Start a new run with the same tool calls and execution options',
    parameters: run,
    body: { schema: 'RunRetry', types: manifestTypes, required: false },
    answers: { 202: accepted },
    problems: ['arguments_not_retained', 'already_exists', 'conflict'],
  },
  cancelRun: {
    id: 'cancelRun',
    tag: 'Runs',
    summary: 'Cancel a run: no further call of it starts, and running calls are asked to stop',
    parameters: run,
    description: 'A run whose calls have all ended keeps its outcome: 409.',
    answers: { 202: { description: 'Cancelled, now or before.', schema: 'Run' } },
    problems: ['conflict'],
  },
} as const satisfies Record<string, Operation>;
