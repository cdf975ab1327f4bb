import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Configuration, MetricsRegistry, Readiness, createLogger } from '@agentstration/service-kit';
import { PostgresRunStore } from '@agentstration/store';
import { ReadModelReader } from '@agentstration/store/read-model';
import type { Provider } from '@nestjs/common';
import { OpenStreams } from '../answers/open-streams.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { RunPages } from '../answers/run-pages.ts';
import { RetentionSchedule, retentionDaysOf } from '../enforce-retention/retention-schedule.ts';
import { natsJournalSource } from '../project-journal/journal-source.ts';
import { Projector, type ProjectorEvents } from '../project-journal/projector.ts';
import { Connections } from './connections.ts';
import { ProjectorMetrics } from './projector-metrics.ts';
import { reportReadiness } from './projector-readiness.ts';

/** Ports and what stands behind them. */
export const providersOf = (configuration: Configuration): Provider[] => [
  OpenStreams,
  { provide: Connections, useFactory: () => Connections.open(configuration) },
  { provide: ProjectorMetrics, inject: [MetricsRegistry], useFactory: (registry: MetricsRegistry) => new ProjectorMetrics(registry) },
  { provide: ReadModelReader, inject: [Connections], useFactory: ({ reader }: Connections) => new ReadModelReader(reader) },
  { provide: ProjectedPosition, inject: [ReadModelReader], useFactory: (reader: ReadModelReader) => new ProjectedPosition(reader) },
  { provide: RunPages, inject: [Connections], useFactory: toRunPages },
  {
    provide: Projector,
    inject: [Connections, ProjectorMetrics, Readiness, ProjectedPosition],
    useFactory: (open: Connections, metrics: ProjectorMetrics, ...[readiness, position]: [Readiness, ProjectedPosition]) => {
      const projector = startProjector(open, metrics, configuration);
      reportReadiness(readiness, { projector, position });
      startRetention(open, projector, configuration);
      return projector;
    },
  },
];

function toRunPages({ database }: Connections): RunPages {
  const runs = new PostgresRunStore(database);
  return new RunPages(async (run) => (await runs.get(run)) !== undefined);
}

function startProjector(open: Connections, metrics: ProjectorMetrics, configuration: Configuration): Projector {
  const projector = new Projector({
    database: open.database,
    journal: natsJournalSource(open.nats),
    owner: `${hostname()}-${process.pid}-${randomUUID()}`,
    events: toEvents(metrics, configuration),
  });
  projector.start();
  open.beforeClose(() => projector.stop());
  return projector;
}

function startRetention(open: Connections, projector: Projector, configuration: Configuration): void {
  const logger = createLogger('governance-projector', configuration.Logging.Level).child({ part: 'retention' });
  const schedule = new RetentionSchedule({
    database: open.database,
    days: retentionDaysOf(configuration),
    everyMs: configuration.ReadModel.RetentionIntervalMinutes * 60_000,
    isActive: () => projector.status.state === 'projecting',
    onRemoved: (removed) => logger.info(removed, 'Retention removed the oldest rows of a Workspace from the read model'),
    onFailed: (error) => logger.warn({ reason: error.message }, 'Retention could not be enforced; it is tried again'),
  });
  schedule.start();
  open.beforeClose(() => schedule.stop());
}

function toEvents(metrics: ProjectorMetrics, { Logging }: Configuration): ProjectorEvents {
  const logger = createLogger('governance-projector', Logging.Level).child({ part: 'projector' });
  return {
    changed: (status) => {
      metrics.changed(status);
      const level = status.state === 'halted' || status.state === 'outdated' ? 'error' : status.state === 'waiting' ? 'warn' : 'info';
      logger[level](status, `The projector is ${status.state}`);
    },
    projected: (batch) => {
      metrics.projected(batch);
      if (batch.deadLetters > 0) logger.warn(batch, 'Messages of the Journal are no readable facts');
    },
    interrupted: (error) => logger.warn({ reason: error.message }, 'Reading the Journal was interrupted'),
  };
}
