import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@agentstration/local-servers';
import { readOracle } from '../support/mcp/test-server.ts';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import { GovernanceSystem, type SystemOptions } from '../support/system/governance-system.ts';
import type { Requester } from '../support/system/requester.ts';
import { connectionsMade, hastyReconnects, leftovers } from './check-leftovers.ts';
import { vanishedFacts } from './check-promises.ts';
import { type Broken, type CallFact, callsOf, factsOf, keyOfSubject } from './evidence.ts';
import { type Failpoint, reachedLine } from './failpoints.ts';
import { readJournalState } from './journal-state.ts';
import { judge } from './judge.ts';
import { readLedger } from './ledger.ts';
import { type Party, furnish, providerSettings } from './parties.ts';
import { scopes } from './scopes.ts';
import { ReadModel } from './read-model.ts';
import { RemoteServer } from './remote-server.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Workload } from './workload.ts';

const underTest = join(import.meta.dirname, 'executor-under-test.ts');
const everyMs = 40;
/** How long anything may take before it counts as never: far more than a healthy machine needs, so that no luck decides. */
const usualPatienceMs = 60_000;

export type FaultRigOptions = Omit<SystemOptions, 'tools'>;

/** A fault: what breaks while requests keep coming, and how it heals. */
export interface Fault {
  readonly name: string;
  inject(rig: FaultRig, workload: Workload): Promise<void>;
}

/** What one fault showed. */
export interface FaultReport {
  readonly fault: string;
  readonly seed: number;
  readonly requests: number;
  /** Calls in the oracle. */
  readonly calls: number;
  /** From the healing of the fault to the success of a request that was made after it, in milliseconds. */
  readonly recoveredAfterMs: number;
  /** What the run broke: everything in it must be empty. */
  readonly broken: Broken;
}

/** A whole system with several Workspaces under a seeded load, with its parts at hand to be broken. */
export class FaultRig {
  executors: ExecutorProcess[] = [];
  #started = 0;
  #runs = 0;
  #workload: Workload | undefined;

  private constructor(
    /** Of the oracle and the credentials; also what tells processes of this rig from others. */
    readonly directory: string,
    readonly system: GovernanceSystem,
    readonly parties: readonly Party[],
    readonly remote: RemoteServer,
    readonly readModel: ReadModel,
    /** Between the services and a single broker. */
    readonly network: TcpProxy | undefined,
  ) {}

  static async start(options: FaultRigOptions = {}): Promise<FaultRig> {
    const directory = await mkdtemp(join(tmpdir(), 'agentstration-rig-'));
    const remote = await RemoteServer.start(join(directory, 'oracle'));
    const environment = { ...(await providerSettings(directory)), ...options.environment };
    const system = await GovernanceSystem.start({ ...options, environment, tools: {} });
    await Promise.all(scopes.map((scope) => furnish(system, scope, remote.url)));
    const parties = await Promise.all(scopes.map(async (scope) => ({ scope, requester: await system.requester(scope) })));
    const network = system.brokers.length === 1 ? await TcpProxy.start(system.nats.port) : undefined;
    const readModel = await ReadModel.start({ ...system.environment, ...through(network) });
    const rig = new FaultRig(directory, system, parties, remote, readModel, network);
    for (const party of parties) await party.requester.onResult((result) => rig.#workload?.told(party, result));
    await rig.startExecutor();
    return rig;
  }

  get #ledger(): string {
    return join(this.directory, 'acknowledged');
  }

  /** Any of the requesters: for what concerns none of the Workspaces. */
  get requester(): Requester {
    return (this.parties[0] as Party).requester;
  }

  async startExecutor(environment: NodeJS.ProcessEnv = {}): Promise<ExecutorProcess> {
    this.#started++;
    const executor = await this.system.startExecutor(
      { ...through(this.network), AGENTSTRATION_LEDGER: this.#ledger, ...environment },
      underTest,
    );
    this.executors.push(executor);
    return executor;
  }

  /** Runs the load, injects the fault, waits for everything accepted to end, and judges what happened. */
  async run(fault: Fault, seed: number, { patienceMs } = { patienceMs: usualPatienceMs }): Promise<FaultReport> {
    const prefix = `${fault.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}-${seed}-${++this.#runs}`;
    const workload = new Workload(this.parties, { seed, everyMs, prefix });
    this.#workload = workload;
    const before = await this.#countConnections();
    workload.start();
    let recoveredAfterMs: number;
    try {
      await workload.succeeds(patienceMs);
      await fault.inject(this, workload);
      recoveredAfterMs = await workload.succeeds(patienceMs);
    } finally {
      await workload.end();
    }
    await workload.rests(patienceMs);
    const journalAtRest = await this.#journalOf(workload);
    await workload.resendUnanswered(patienceMs);
    await workload.rests(patienceMs);
    const left = await leftovers(this, patienceMs);
    const hasty = hastyReconnects((await connectionsMade(this)) - before.made, {
      seconds: Math.ceil((performance.now() - before.at) / 1000),
      executors: before.executors + this.#started - before.started,
    });
    const evidence = await this.#gather(workload, { prefix, journalAtRest, patienceMs });
    const broken = { ...judge(evidence), I10: [...left, ...hasty] };
    return { fault: fault.name, seed, requests: workload.history.length, calls: evidence.calls.length, recoveredAfterMs, broken };
  }

  /** What was executed by anybody. */
  async oracle() {
    return readOracle(join(this.directory, 'oracle'));
  }

  /** One more executor runs up to the failpoint and is killed there; the others have to carry on. */
  async killAt(failpoint: Failpoint): Promise<void> {
    const doomed = await this.startExecutor({ AGENTSTRATION_FAILPOINT: failpoint });
    await eventually(
      () => {
        if (!doomed.process.output().includes(reachedLine(failpoint))) throw new Error(`${failpoint} was not reached`);
      },
      { within: usualPatienceMs, every: 10 },
    );
    await this.kill(doomed);
  }

  async kill(executor: ExecutorProcess): Promise<void> {
    this.executors = this.executors.filter((other) => other !== executor);
    await executor.process.kill('SIGKILL');
  }

  /** Ends an executor as a deployment does. */
  async drain(executor: ExecutorProcess): Promise<void> {
    this.executors = this.executors.filter((other) => other !== executor);
    await executor.process.stop({ within: 15_000 });
  }

  async stop(): Promise<void> {
    await this.readModel.stop();
    await this.system.stop();
    await this.network?.stop();
    await this.remote.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #countConnections() {
    return { made: await connectionsMade(this), at: performance.now(), executors: this.executors.length, started: this.#started };
  }

  async #journalOf(workload: Workload) {
    return factsOf(await this.requester.journal()).filter(({ key }) => workload.knows(key));
  }

  async #gather(
    workload: Workload,
    { prefix, journalAtRest, patienceMs }: { prefix: string; journalAtRest: readonly CallFact[]; patienceMs: number },
  ) {
    const journal = await this.#journalOf(workload);
    const acknowledged = (await readLedger(this.#ledger)).filter(({ subject }) => workload.knows(keyOfSubject(subject)));
    const vanished = vanishedFacts(acknowledged, await this.requester.journal());
    const { lastSequence, gaps } = await readJournalState(this.requester.connection);
    const attempts = await this.readModel.attemptsOf(`${prefix}-`, { upTo: lastSequence, within: patienceMs });
    const calls = callsOf(await this.oracle()).filter(({ key }) => workload.knows(key));
    return { calls, journal, journalAtRest, vanished, gaps, attempts, history: workload.history };
  }
}

const through = (network: TcpProxy | undefined): NodeJS.ProcessEnv =>
  network ? { Agentstration__Nats__Servers__0: `nats://127.0.0.1:${network.port}` } : {};
