import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamJournal, JournalVerifier, restoreResults } from '@agentstration/journal';
import { McpToolProviders } from '@agentstration/providers';
import { type Configuration, checkMaximumArgumentsLength, connectNats, createLogger } from '@agentstration/service-kit';
import { PostgresAttemptStore, closeDataSource, createDataSource } from '@agentstration/store';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { RunningCalls } from './cancel-tool-calls/running-calls.ts';
import { attemptBytes } from './execute-tool-call/attempt-bytes.ts';
import type { Clock, ExecutorLog, ExecutorParts } from './execute-tool-call/executor-parts.ts';
import { loadLocalHooks } from './local-hooks/load-local-hooks.ts';
import { withinTimeLimit } from './local-hooks/within-time-limit.ts';
import { ExecutorMetrics } from './metrics/executor-metrics.ts';
import { complainOfUnansweredCalls } from './receive-requests/complain-of-unanswered-calls.ts';
import { JetStreamRequestStrategy } from './receive-requests/jetstream-request-strategy.ts';
import type { Reception } from './receive-requests/receive-request.ts';
import { JetStreamRequestQueue } from './receive-requests/request-queue.ts';
import { WorkspaceShares } from './receive-requests/workspace-shares.ts';
import { tracePorts } from './trace-attempts/trace-ports.ts';

/** An executor with its connections. */
export interface OpenExecutor {
  readonly reception: Reception;
  readonly strategy: JetStreamRequestStrategy;
  readonly providers: McpToolProviders;
  readonly verifier: JournalVerifier;
  readonly queue: JetStreamRequestQueue;
  /** Ends connections and child processes; call it after the strategy was closed. */
  close(): Promise<void>;
}

const clock: Clock = { now: () => new Date(), monotonic: () => performance.now(), sleep: (milliseconds) => sleep(milliseconds) };

/** Wraps ports on their way into the executor: where the fault rig puts its failpoints. */
export type DecorateParts = (parts: ExecutorParts) => ExecutorParts;

export interface ExecutorHost {
  /** Where its metrics are shown. */
  readonly registry: Registry;
  readonly decorate?: DecorateParts | undefined;
}

/** Wires the executor's plain parts to their adapters. Rejects when it must not start: the message says why. */
export async function openExecutor(
  configuration: Configuration,
  { registry, decorate = (parts) => parts }: ExecutorHost,
): Promise<OpenExecutor> {
  const metrics = new ExecutorMetrics(registry);
  const log = createLogger('tool-executor', configuration.Logging.Level);
  const localHooks = await loadLocalHooks(configuration.ToolExecution.LocalHookModules);
  // The gate has a connection of its own: no backlog of results or requests stands before a fact.
  const [gate, work] = await Promise.all([
    connectNats(configuration, { name: 'tool-executor-gate' }),
    connectNats(configuration, { name: 'tool-executor' }),
  ]);
  checkMaximumArgumentsLength(configuration, gate.info?.max_payload ?? 0);
  const verifier = await startVerifier(configuration, gate, log);
  const dataSource = openDatabase(configuration);
  const providers = openProviders(configuration, log, metrics);
  const graceEnded = new AbortController();
  const queue = new JetStreamRequestQueue(work, configuration.ToolExecution.AckWaitMs);
  const executor = decorate(
    tracePorts({
      journal: new JetStreamJournal({ connection: gate, verifier, publishTimeoutMs: configuration.ToolExecution.PublishTimeoutMs }),
      store: new PostgresAttemptStore(dataSource),
      ...{ providers, localHooks, queue, clock, log, meter: metrics },
      newId: uuidv7,
      source: `agentstration/tool-executor/${hostname()}-${process.pid}`,
      hookTimeLimit: withinTimeLimit(configuration.ToolExecution.HookTimeoutMs),
      settings: settingsOf(configuration),
      graceEnded: graceEnded.signal,
    }),
  );
  const reception: Reception = {
    connection: work,
    executor,
    shares: new WorkspaceShares(configuration.ToolExecution.MaximumConcurrencyPerWorkspace, () => clock.monotonic()),
    calls: new RunningCalls(),
    onSentBack: () => metrics.requestSentBack(),
    onCallUnanswered: complainOfUnansweredCalls(log, metrics),
    restoreResults: () => restoreResults(work, configuration.Journal.Replicas),
  };
  void onReconnect(work, () => reception.restoreResults().catch(() => undefined));
  const strategy = openStrategy(configuration, { reception, queue, verifier, onGraceEnded: () => graceEnded.abort() });
  metrics.watch({ running: () => reception.calls.size, acceptsAttempts: () => verifier.acceptsNewAttempts() });
  return {
    reception,
    strategy,
    providers,
    verifier,
    queue,
    close: closing({ providers, verifier, dataSource, connections: [gate, work] }),
  };
}

async function startVerifier(configuration: Configuration, connection: NatsConnection, log: ExecutorLog): Promise<JournalVerifier> {
  const verifier = new JournalVerifier({
    connection,
    requiredDurability: configuration.Journal.RequiredDurability,
    monitoringUrls: configuration.Nats.MonitoringUrls,
    attemptBytes: attemptBytes(configuration.ToolExecution.MaximumArgumentsLength),
  });
  const { verified, reasons, durability, durabilityBecause, advice } = await verifier.start();
  if (verified) log.info({ durability, because: durabilityBecause }, 'the Journal is verified');
  else log.error({ reasons }, 'the Journal is not what the gate relies on; no request is taken until it is');
  if (advice !== undefined) log.warn({ advice }, 'the broker of the Journal should be upgraded');
  verifier.onChange((status) => log.warn({ verified: status.verified, reasons: status.reasons }, 'the state of the Journal has changed'));
  return verifier;
}

/** A broker that comes back may have forgotten the results' stream; who waits for results should not notice. Ends with the connection. */
async function onReconnect(connection: NatsConnection, work: () => Promise<void>): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') await work();
}

const openDatabase = ({ Database }: Configuration): DataSource =>
  createDataSource({
    url: Database.Url,
    role: 'executor',
    poolSize: Database.MaximumConnections,
    connectTimeoutMs: Database.ConnectTimeoutMs,
    statementTimeoutMs: Database.StatementTimeoutMs,
  });

const openProviders = (configuration: Configuration, logger: ExecutorLog, metrics: ExecutorMetrics): McpToolProviders =>
  new McpToolProviders({
    stdio: configuration.ToolProviders.Stdio,
    secrets: configuration.ToolProviders.Secrets,
    extensions: configuration.Extensions,
    allowedPrivateHosts: configuration.ToolProviders.AllowedPrivateHosts,
    now: () => clock.monotonic(),
    logger,
    onEvent: (event) => metrics.onProviderEvent(event),
  });

const settingsOf = ({ ToolExecution }: Configuration): ExecutorParts['settings'] => ({
  publishTimeoutMs: ToolExecution.PublishTimeoutMs,
  persistArguments: ToolExecution.PersistArguments,
  maximumArgumentsLength: ToolExecution.MaximumArgumentsLength,
  redeliveryDelaysMs: ToolExecution.RedeliveryDelaysMs,
});

interface StrategyParts {
  readonly reception: Reception;
  readonly queue: JetStreamRequestQueue;
  readonly verifier: JournalVerifier;
  readonly onGraceEnded: () => void;
}

const openStrategy = (
  { ToolExecution }: Configuration,
  { reception, queue, verifier, onGraceEnded }: StrategyParts,
): JetStreamRequestStrategy =>
  new JetStreamRequestStrategy({
    connection: reception.connection,
    queue,
    maximumConcurrency: ToolExecution.MaximumConcurrency,
    ackWaitMs: ToolExecution.AckWaitMs,
    gracePeriodMs: ToolExecution.GracePeriodMs,
    roomForAttempts: (underWay) => verifier.roomForAttempts(underWay),
    onGraceEnded,
    log: reception.executor.log,
  });

interface Closable {
  readonly providers: McpToolProviders;
  readonly verifier: JournalVerifier;
  readonly dataSource: DataSource;
  readonly connections: readonly NatsConnection[];
}

const closing =
  ({ providers, verifier, dataSource, connections }: Closable) =>
  async (): Promise<void> => {
    await providers.close();
    await verifier.stop();
    await Promise.all(connections.map((connection) => connection.drain().catch(() => undefined)));
    await closeDataSource(dataSource);
  };
