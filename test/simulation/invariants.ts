import { type Fact, type ToolFact, isFact } from '@agentstration/contracts';
import type { World } from './world.ts';

/** What is wrong with the world after a schedule; an empty list when every promise was kept. */
export function brokenPromises(world: World): readonly string[] {
  return [...ungoverned(world), ...repeated(world), ...illegalPaths(world), ...unfinished(world)];
}

/** A call implies an allowed governance fact of the same attempt before it; a denied call never happens. */
function ungoverned(world: World): string[] {
  return world.oracle.flatMap(({ invocationId, journalLength }) => {
    const fact = world.facts.find(
      ({ fact: { type, data } }) => type.includes('Governance') && 'invocationId' in data && data.invocationId === invocationId,
    );
    if (!fact || !isFact(fact.fact, 'ToolExecutionGovernanceEvaluated')) return [`call ${invocationId} has no governance fact`];
    if (fact.sequence > journalLength) return [`call ${invocationId} happened before its governance fact`];
    return fact.fact.data.evaluations.every(({ decision }) => decision === 'Allowed') ? [] : [`call ${invocationId} was not allowed`];
  });
}

/** A permit is used once, and an AtMostOnce Request reaches the provider at most once. */
function repeated(world: World): string[] {
  const calls = world.oracle.map(({ invocationId }) => invocationId);
  const twice = calls.length === new Set(calls).size ? [] : ['a permit was used twice'];
  if (world.delivery === 'AtLeastOnce') return twice;
  const requests = calls.map((invocationId) => world.facts.map(({ fact }) => fact).find((fact) => startedOf(fact, invocationId)));
  const ids = requests.map((fact) => (fact && 'requestId' in fact.data ? fact.data.requestId : invalid));
  return ids.length === new Set(ids).size ? twice : [...twice, 'an AtMostOnce request was called more than once'];
}

const invalid = 'unknown';
const startedOf = (fact: Fact, invocationId: string): boolean =>
  isFact(fact, 'ToolExecutionStarted') && fact.data.invocationId === invocationId;

/** At most one running attempt; a governance fact only within its attempt; every attempt has an end. */
function illegalPaths(world: World): string[] {
  let open: string | undefined;
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const { fact, sequence } of world.facts) {
    const { invocationId } = (fact as ToolFact).data;
    if (isFact(fact, 'ToolExecutionStarted')) {
      if (open !== undefined) faults.push(`fact ${sequence} starts an attempt while another is open`);
      if (fact.data.attempt !== seen.size + 1) faults.push(`fact ${sequence} has attempt ${fact.data.attempt}`);
      seen.add(invocationId);
      open = invocationId;
    } else if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) {
      if (open !== invocationId) faults.push(`fact ${sequence} evaluates an attempt that is not open`);
    } else if (open === invocationId) open = undefined;
    else if (!seen.has(invocationId)) faults.push(`fact ${sequence} ends an attempt that never began`);
  }
  return open === undefined ? faults : [...faults, 'an attempt was left open'];
}

/** Every Request ends with a result that tells the truth about a success. */
function unfinished(world: World): string[] {
  return world.messages.flatMap(({ end, position }) => {
    if (!end) return [`request ${position} has no result`];
    const { outcome, invocationId } = end.result;
    const called = world.oracle.some((call) => call.invocationId === invocationId);
    return outcome === 'Succeeded' && !called ? [`request ${position} succeeded without a call`] : [];
  });
}
