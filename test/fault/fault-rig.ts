import { join } from 'node:path';
import { eventually } from '@agentstration/local-servers';
import type { ToolResult } from '@agentstration/contracts';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import { GovernanceSystem, type SystemOptions } from '../support/system/governance-system.ts';
import { type Requester, request } from '../support/system/requester.ts';
import { type Verdict, checkPromises } from './check-promises.ts';
import { type Failpoint, reachedLine } from './failpoints.ts';
import { Workload } from './workload.ts';

const underTest = join(import.meta.dirname, 'executor-under-test.ts');

/** A fault: what breaks while requests keep coming, and how it heals. */
export interface Fault {
  readonly name: string;
  inject(rig: FaultRig): Promise<void>;
}

/** What one fault showed. */
export interface FaultReport extends Verdict {
  readonly fault: string;
  readonly seed: number;
  /** From the healing of the fault to the first new success, in milliseconds. */
  readonly recoveredAfterMs: number;
}

/** A whole system under a seeded load, with its parts at hand to be broken. */
export class FaultRig {
  executors: ExecutorProcess[] = [];

  private constructor(
    readonly system: GovernanceSystem,
    readonly requester: Requester,
  ) {}

  static async start(options: Pick<SystemOptions, 'environment' | 'nats'> = {}): Promise<FaultRig> {
    const system = await GovernanceSystem.start({ ...options, tools: { ok: {}, slow: {}, denied: {}, once: { delivery: 'AtMostOnce' } } });
    await system.deny('denied');
    const rig = new FaultRig(system, await system.requester());
    await rig.startExecutor();
    return rig;
  }

  async startExecutor(environment: NodeJS.ProcessEnv = {}): Promise<ExecutorProcess> {
    const executor = await this.system.startExecutor(environment, underTest);
    this.executors.push(executor);
    return executor;
  }

  /** Runs the load, injects the fault, waits for everything accepted to end, and judges what happened. */
  async run(fault: Fault, seed: number): Promise<FaultReport> {
    const workload = new Workload(this.requester, { seed, everyMs: 15, prefix: `${fault.name.replaceAll(' ', '-')}-${seed}` });
    await this.untilSuccess(`before-${fault.name.replaceAll(' ', '-')}-${seed}`);
    await fault.inject(this);
    const healed = performance.now();
    await this.untilSuccess(`after-${fault.name.replaceAll(' ', '-')}-${seed}`);
    const recoveredAfterMs = Math.round(performance.now() - healed);
    await workload.settle(30_000);
    const ids = new Set(workload.history.map(({ request: { toolCallId } }) => toolCallId));
    const oracle = (await this.system.oracle()).filter((entry) => ids.has(String(entry.arguments?.call)));
    const journal = (await this.requester.journal()).filter(({ fact: { data } }) => 'toolCallId' in data && ids.has(data.toolCallId));
    return { fault: fault.name, seed, recoveredAfterMs, ...checkPromises({ oracle, journal, history: workload.history }) };
  }

  /** Kills the executor that has reached the failpoint. */
  async killAt(failpoint: Failpoint): Promise<void> {
    await this.stopExecutors();
    const doomed = await this.startExecutor({ AGENTSTRATION_FAILPOINT: failpoint });
    await eventually(
      () => {
        if (!doomed.process.output().includes(reachedLine(failpoint))) throw new Error(`${failpoint} was not reached`);
      },
      { within: 10_000, every: 10 },
    );
    await doomed.process.kill('SIGKILL');
    this.executors = [];
    await this.startExecutor();
  }

  async stopExecutors(): Promise<void> {
    await Promise.all(this.executors.splice(0).map((executor) => executor.process.stop({ within: 15_000 })));
  }

  stop(): Promise<void> {
    return this.system.stop();
  }

  /** A call of its own succeeds: the system works. */
  async untilSuccess(toolCallId: string): Promise<ToolResult> {
    const asked = request(toolCallId, 'ok', { requestId: toolCallId, arguments: { call: toolCallId } });
    await eventually(() => this.requester.publish(asked), { within: 30_000, every: 50 });
    return this.requester.result(asked, { within: 30_000, accept: ({ outcome }) => outcome === 'Succeeded' });
  }
}
