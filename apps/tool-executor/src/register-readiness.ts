import type { AttemptQuery } from '@agentstration/governance';
import type { Readiness, ReadinessReport } from '@agentstration/service-kit';
import type { OpenExecutor } from './open-executor.ts';
import { deadLetterObjection } from './receive-requests/dead-letter.ts';

/** Tells `/readyz` whether attempts can be made: recorded, governed and taken from the queue. Each reason says what to do. */
export function registerReadiness(readiness: Readiness, executor: OpenExecutor): void {
  readiness.register('journal', () => Promise.resolve(journalReport(executor)));
  readiness.register('request-queue', async () => unless(await executor.queue.objection()));
  readiness.register('dead-letters', async () => unless(await deadLetterObjection(executor.reception.connection)));
  readiness.register('governance-store', () => storeReport(executor));
}

const unless = (reason: string | undefined): ReadinessReport => (reason === undefined ? { ready: true } : { ready: false, reason });

function journalReport({ verifier }: OpenExecutor): ReadinessReport {
  const { verified, reasons, durability, durabilityBecause, advice } = verifier.status;
  const ready = verified && verifier.acceptsNewAttempts();
  return { ready, ...(ready ? {} : { reason: reasons.join('; ') }), details: { durability, durabilityBecause, advice } };
}

async function storeReport({ reception }: OpenExecutor): Promise<ReadinessReport> {
  try {
    await reception.executor.store.resolve(nothing);
    return { ready: true };
  } catch {
    return { ready: false, reason: 'The database cannot be read, so that every call fails closed. Look at it and its provisioning.' };
  }
}

/** Asked for to see that the database answers, with its schema and role in place. */
const nothing: AttemptQuery = {
  tenantId: 'readiness',
  workspaceId: 'readiness',
  ownerKind: 'RuntimeRun',
  runId: 'none',
  toolId: 'none',
  agentId: 'none',
};
