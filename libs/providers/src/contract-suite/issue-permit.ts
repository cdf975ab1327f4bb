import { randomUUID } from 'node:crypto';
import { streams } from '@agentstration/contracts';
import { type Journal, type Permit, openGate, recordFact } from '@agentstration/governance';
import { attemptFacts, journalSubject } from '@agentstration/test/facts';

/** A Journal that acknowledges well and keeps nothing. */
const acknowledging: Journal = {
  append: () =>
    Promise.resolve({ kind: 'acknowledged', acknowledgement: { stream: streams.journal, sequence: 2, duplicate: false, floor: 1 } }),
  readLast: () => Promise.resolve(undefined),
  readToolCall: () => Promise.resolve([]),
};

export interface PermitRequest {
  readonly providerId: string;
  readonly externalToolId: string;
  /** Default: long enough for any test. */
  readonly lifetimeMs?: number;
}

/** A real permit, through the real gate: there is no other way to one. */
export async function issuePermit({ providerId, externalToolId, lifetimeMs = 60_000 }: PermitRequest): Promise<Permit> {
  const fact = attemptFacts({ providerId, externalToolId, invocationId: randomUUID() }).evaluated();
  const subject = journalSubject({ tenantId: 'local', workspaceId: 'demo' }, fact);
  const outcome = await recordFact(acknowledging, { subject, fact, expectedLastSequence: 1 });
  const gate = openGate(outcome.kind === 'recorded' ? outcome.recorded : undefined, { now: performance.now(), lifetimeMs });
  if (!gate.open) throw new Error(`The gate stays closed: ${gate.reason}`);
  return gate.permit;
}
