import { join } from 'node:path';
import { eventually } from '@agentstration/local-servers';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import { GovernanceSystem, type SystemOptions } from '../support/system/governance-system.ts';
import type { Requester } from '../support/system/requester.ts';
import { type Verdict, checkPromises } from './check-promises.ts';
import { type Failpoint, reachedLine } from './failpoints.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Workload } from './workload.ts';

const underTest = join(import.meta.dirname, 'executor-under-test.ts');
const everyMs = 40;
/** After a fault has healed the system works again within this time, by itself. */
const recoversWithinMs = 15_000;
const restsWithinMs = 30_000;

/** A fault: what breaks while requests keep coming, and how it heals. */
export interface Fault {
  readonly name: string;
  inject(rig: FaultRig, workload: Workload): Promise<void>;
}

/** What one fault showed. */
export interface FaultReport extends Verdict {
  readonly fault: string;
  readonly seed: number;
  /** From the healing of the fault to the success of a request that was made after it, in milliseconds. */
  readonly recoveredAfterMs: number;
}

const testTools: SystemOptions['tools'] = {
  ...Object.fromEntries(
    ['ok', 'slow', 'denied', 'die-after-execute', 'big', 'is-error', 'schema-bad', 'mutate-tools'].map((tool) => [tool, {}]),
  ),
  once: { delivery: 'AtMostOnce' },
};

/** A whole system under a seeded load, with its parts at hand to be broken. */
export class FaultRig {
  executors: ExecutorProcess[] = [];
  #runs = 0;
  #workload: Workload | undefined;

  private constructor(
    readonly system: GovernanceSystem,
    readonly requester: Requester,
    /** Between the executors and a single broker. */
    readonly network: TcpProxy | undefined,
  ) {}

  static async start(options: Omit<SystemOptions, 'tools'> = {}): Promise<FaultRig> {
    const system = await GovernanceSystem.start({ ...options, tools: testTools });
    await system.deny('denied');
    const network = system.brokers.length === 1 ? await TcpProxy.start(system.nats.port) : undefined;
    const rig = new FaultRig(system, await system.requester(), network);
    await rig.requester.onResult((result) => rig.#workload?.told(result));
    await rig.startExecutor();
    return rig;
  }

  async startExecutor(environment: NodeJS.ProcessEnv = {}): Promise<ExecutorProcess> {
    const throughNetwork = this.network && { Agentstration__Nats__Servers__0: `nats://127.0.0.1:${this.network.port}` };
    const executor = await this.system.startExecutor({ ...throughNetwork, ...environment }, underTest);
    this.executors.push(executor);
    return executor;
  }

  /** Runs the load, injects the fault, waits for everything accepted to end, and judges what happened. */
  async run(fault: Fault, seed: number): Promise<FaultReport> {
    const prefix = `${fault.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}-${seed}-${++this.#runs}`;
    const workload = new Workload(this.requester, { seed, everyMs, prefix });
    this.#workload = workload;
    workload.start();
    let recoveredAfterMs: number;
    try {
      await workload.succeeds(restsWithinMs);
      await fault.inject(this, workload);
      recoveredAfterMs = await workload.succeeds(recoversWithinMs);
    } finally {
      await workload.end();
    }
    await workload.rests(restsWithinMs);
    const journalAtRest = await this.#journalOf(workload);
    await workload.resendUnanswered(recoversWithinMs);
    await workload.rests(restsWithinMs);
    const journal = await this.#journalOf(workload);
    const oracle = (await this.system.oracle()).filter(({ arguments: given }) => workload.knows(given?.call));
    const verdict = checkPromises({ oracle, journal, journalAtRest, history: workload.history });
    return { fault: fault.name, seed, recoveredAfterMs, ...verdict };
  }

  /** One more executor runs up to the failpoint and is killed there; the others have to carry on. */
  async killAt(failpoint: Failpoint): Promise<void> {
    const doomed = await this.startExecutor({ AGENTSTRATION_FAILPOINT: failpoint });
    await eventually(
      () => {
        if (!doomed.process.output().includes(reachedLine(failpoint))) throw new Error(`${failpoint} was not reached`);
      },
      { within: 10_000, every: 10 },
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
    await this.system.stop();
    await this.network?.stop();
  }

  async #journalOf(workload: Workload) {
    return (await this.requester.journal()).filter(({ fact: { data } }) => 'toolCallId' in data && workload.knows(data.toolCallId));
  }
}
