import { type Decision, type Outcome } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { RecordFilter } from '@agentstration/store/read-model';
import { type QueryParameters, readOne, readTime, readWhole, readWord } from './query-parameters.ts';

const decisions: readonly Decision[] = ['Allowed', 'Denied', 'Failed'];
const outcomes: readonly (Outcome | 'Running')[] = ['Succeeded', 'Failed', 'Denied', 'Cancelled', 'Unknown', 'Running'];

/** The filters of the records of one Run. */
export const runFilterNames = ['toolCallId', 'invocationId', 'toolId', 'hookId', 'resourceGeneration', 'decision'] as const;

/** The filters of records over all Runs. */
export const filterNames = [...runFilterNames, 'agentId', 'providerId', 'outcome', 'from', 'to'] as const;

/** Reads what was asked for of {@link filterNames}; routes refuse those that they do not have. */
export function readFilter(query: QueryParameters): RecordFilter {
  const texts = (['toolCallId', 'invocationId', 'toolId', 'hookId', 'agentId', 'providerId'] as const).map(
    (name) => [name, readOne(query, name)] as const,
  );
  const span = { from: readTime(query, 'from'), to: readTime(query, 'to') };
  refuseBackwards(span);
  return present({
    ...Object.fromEntries(texts),
    resourceGeneration: readWhole(query, 'resourceGeneration', { minimum: 1, code: 'invalid_resource_generation' }),
    decision: readWord(query, 'decision', { words: decisions, code: 'invalid_decision' }),
    outcome: readWord(query, 'outcome', { words: outcomes, code: 'invalid_outcome' }),
    ...span,
  });
}

/** Such a span holds nothing: whoever asks for it has mixed up the two. @throws ProblemError `invalid_time` */
export function refuseBackwards({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }): void {
  if (from === undefined || to === undefined || from <= to) return;
  const [start, end] = [from, to].map((time) => new Date(time).toISOString());
  throw new ProblemError('invalid_time', `from (${start}) must not be after to (${end})`);
}

const present = (values: Record<string, unknown>): RecordFilter =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
