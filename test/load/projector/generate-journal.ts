import { type Evaluation, type Scope } from '@agentstration/contracts';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { allows, attemptFacts, denies, journalSubject, managed } from '../../support/facts.ts';

/** A Journal as a busy installation writes it: the same for the same number, whenever it is made. */
export interface JournalShape {
  readonly facts: number;
  readonly callsPerRun: number;
}

/** Of five attempts three are of the Workspace that is read: of 5 000 000 facts that is 1 000 000 records. */
const workspaces = [1, 1, 1, 2, 3] as const;

/** How many attempts run at the same time: their facts are mixed in the Journal. */
const concurrency = 64;
const inFlight = 2000;

const chains: readonly (readonly Evaluation[])[] = [
  [],
  [managed('block-sensitive-lookup', 3)],
  [allows('tenant-guard'), managed('block-sensitive-lookup', 3), managed('office-hours', 12)],
  [allows('tenant-guard')],
];

/** The facts of the n-th attempt: three of them, one in ten denied, one in twenty failed. */
export function attemptAt(index: number, { callsPerRun }: JournalShape) {
  const workspace = workspaces[index % workspaces.length]!;
  const run = Math.floor(index / workspaces.length / callsPerRun);
  const scope: Scope = { tenantId: 'bench', workspaceId: `workspace-${workspace}` };
  const attempt = attemptFacts({
    runId: `run-${workspace}-${run}`,
    toolCallId: `call_${index}`,
    requestId: `request-${index}`,
    toolId: `crm.tool-${index % 40}`,
    toolName: `tool-${index % 40}`,
    externalToolId: `tool-${index % 40}`,
    providerId: `provider-${index % 7}`,
    agentId: `agent-${index % 25}`,
    principalId: `user-${index % 1000}`,
    correlationId: `correlation-${run}`,
  });
  const time = new Date(Date.UTC(2026, 0, 1) + index * 250).toISOString();
  const denied = index % 10 === 3;
  const end = denied
    ? attempt.failed({ outcome: 'Denied', failureKind: 'Denied', errorCode: 'office_hours', errorType: 'HookDenied' }, time)
    : index % 20 === 7
      ? attempt.failed({ outcome: 'Unknown', errorCode: 'provider_timeout', errorType: 'ProviderTimeout' }, time)
      : attempt.completed({ durationMs: (index % 900) + 0.25 }, time);
  const chain = denied ? [denies('office-hours', 'office_hours')] : chains[index % chains.length]!;
  return { scope, facts: [attempt.started(time), attempt.evaluated(chain, {}, time), end] };
}

/** Publishes the Journal's facts; reports how many are there. */
export async function generateJournal(connection: NatsConnection, shape: JournalShape, onProgress: (facts: number) => void): Promise<void> {
  const client = jetstream(connection);
  const attempts = Math.ceil(shape.facts / 3);
  let pending: Promise<unknown>[] = [];
  let published = 0;
  for (let first = 0; first < attempts; first += concurrency) {
    const window = Array.from({ length: Math.min(concurrency, attempts - first) }, (_, offset) => attemptAt(first + offset, shape));
    for (let step = 0; step < 3; step += 1) {
      for (const { scope, facts } of window) {
        const fact = facts[step]!;
        pending.push(client.publish(journalSubject(scope, fact), JSON.stringify(fact), { timeout: 30_000 }));
        published += 1;
      }
    }
    if (pending.length < inFlight) continue;
    await Promise.all(pending);
    pending = [];
    onProgress(published);
  }
  await Promise.all(pending);
  onProgress(published);
}
