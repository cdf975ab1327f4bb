import { type NatsServer, eventually } from '@agentstration/local-servers';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import type { FaultRig } from './fault-rig.ts';
import { scopes } from './scopes.ts';
import { childrenOf, orphans } from './processes.ts';

/** The client waits 250 ms between two tries to reconnect: with its jitter it makes no more than so many in a second. */
const reconnectsPerSecond = 5;
/** What a row costs without any outage: connecting, and once more after each restart. */
const reconnectsAnyway = 6;

/**
 * I10: what a row left behind once it has come to rest: processes without an owner, connections that somebody still holds,
 * requests that still run. It is asked for until nothing is wrong, or the time is over.
 */
export async function leftovers(rig: FaultRig, within: number): Promise<readonly string[]> {
  let wrong: readonly string[] = [];
  const look = async (): Promise<void> => {
    wrong = (await Promise.all([leftProcesses(rig), heldPools(rig), heldBrokerConnections(rig)])).flat();
    if (wrong.length > 0) throw new Error('There are leftovers.');
  };
  await eventually(look, { within, every: 100 }).catch((error: unknown) => {
    if (wrong.length === 0) throw error;
  });
  return wrong;
}

/** Connections that were made to brokers, or to the proxy before them, since they started. */
export async function connectionsMade({ network, system }: FaultRig): Promise<number> {
  if (network) return network.accepted;
  const monitored = await Promise.all(system.brokers.map((broker) => monitor<{ total_connections: number }>(broker, 'varz')));
  return monitored.reduce((sum, { total_connections: made }) => sum + made, 0);
}

/** I10: clients that reconnected more often than their waits allow. `started`: executors that the row had, all in all. */
export function hastyReconnects(made: number, row: { readonly seconds: number; readonly executors: number }): string[] {
  const clients = connectionsOfExecutor * row.executors + connectionsOfProjector;
  const allowed = Math.ceil(clients * (reconnectsAnyway + reconnectsPerSecond * row.seconds));
  return made > allowed ? [`${made} connections were made to the broker in ${row.seconds} s; ${allowed} at most were to be expected`] : [];
}

const connectionsOfExecutor = 2;
const connectionsOfProjector = 1;

async function leftProcesses({ executors, directory }: FaultRig): Promise<string[]> {
  const left = await orphans(directory, [process.pid, ...executors.map(({ process: { pid } }) => pid)]);
  const crowds = executors.map(async ({ process: { pid } }) => {
    const count = await childrenOf(pid, directory);
    return count > scopes.length ? [`executor ${pid} has ${count} stdio servers for ${scopes.length} workspaces`] : [];
  });
  return [...left, ...(await Promise.all(crowds)).flat()];
}

async function heldPools({ executors, readModel }: FaultRig): Promise<string[]> {
  const pools = executors.map(async (executor) => {
    const { pools, total, idle, waiting, running } = await readPool(executor);
    const held = pools !== 1 || idle !== total || waiting > 0 || running > 0;
    return held
      ? [
          `executor ${executor.process.pid} has ${pools} pools, ${idle} of ${total} connections idle, ${waiting} waiting, ${running} requests running`,
        ]
      : [];
  });
  const busy = await readModel.busyConnections();
  return [...(await Promise.all(pools)).flat(), ...(busy > 0 ? [`${busy} connections of executors to the database are not idle`] : [])];
}

async function readPool({ origin }: ExecutorProcess) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const read = (metric: string): number => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  return {
    pools: read('rig_database_pools'),
    total: read('rig_database_pool_total'),
    idle: read('rig_database_pool_idle'),
    waiting: read('rig_database_pool_waiting'),
    running: read('agentstration_requests_running'),
  };
}

async function heldBrokerConnections({ system, executors }: FaultRig): Promise<string[]> {
  const monitored = system.brokers.map((broker) => monitor<{ connections: readonly { name?: string }[] }>(broker, 'connz?limit=10000'));
  const names = (await Promise.all(monitored)).flatMap(({ connections }) => connections.map(({ name = 'requester' }) => name));
  const expected: Readonly<Record<string, number>> = {
    'tool-executor-gate': executors.length,
    'tool-executor': executors.length,
    'governance-projector': connectionsOfProjector,
    requester: scopes.length,
  };
  return [...new Set([...names, ...Object.keys(expected)])].flatMap((name) => {
    const count = names.filter((other) => other === name).length;
    return count === (expected[name] ?? 0) ? [] : [`the broker has ${count} connections of ${name} instead of ${expected[name] ?? 0}`];
  });
}

async function monitor<T>({ monitoringUrl }: NatsServer, path: string): Promise<T> {
  return (await (await fetch(`${monitoringUrl}/${path}`)).json()) as T;
}
