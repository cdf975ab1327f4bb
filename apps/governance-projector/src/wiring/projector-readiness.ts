import type { Readiness, ReadinessReport } from '@agentstration/service-kit';
import { StoreUnavailable } from '@agentstration/store';
import type { ProjectedPosition } from '../answers/projected-position.ts';
import type { Projector } from '../project-journal/projector.ts';

interface Reported {
  readonly projector: Projector;
  readonly position: ProjectedPosition;
}

/** Lets `/readyz` say whether the read model answers, and whether it is being kept up to date. */
export function reportReadiness(readiness: Readiness, { projector, position }: Reported): void {
  readiness.register('read-model', () => readModelReport(position));
  readiness.register('projection', () => Promise.resolve(projectionReport(projector)));
}

async function readModelReport(position: ProjectedPosition): Promise<ReadinessReport> {
  try {
    return { ready: true, details: { projectedSequence: await position.read() } };
  } catch (error) {
    return { ready: false, reason: error instanceof StoreUnavailable ? error.message : 'The read model cannot be asked' };
  }
}

/** A standby answers as well as the one that projects; one that stands still answers from the past. */
function projectionReport({ status }: Projector): ReadinessReport {
  const { state, generation, sequence, reason } = status;
  const ready = state === 'projecting' || state === 'standby';
  return { ready, details: { state, generation, sequence }, ...(!ready && { reason: reason ?? `The projector is ${state}` }) };
}
