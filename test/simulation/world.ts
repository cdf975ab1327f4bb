import type { Fact, ToolRequest } from '@agentstration/contracts';
import {
  type Permit,
  type ProviderCall,
  type ProviderOutcome,
  type TimeLimit,
  type ToolProviders,
  decodeFact,
} from '@agentstration/governance';
import { type AppendFault, InMemoryJournal } from '@agentstration/journal/in-memory';
import { InMemoryAttemptStore } from '@agentstration/store/in-memory';
import { type DeliveryEnd, type ExecutorParts, executeToolCall } from '@agentstration/tool-executor/testing';
import { catalogueEntry, localHook, request, scope } from '../support/executor-rig.ts';
import { Scheduler, seededRandom } from './scheduler.ts';

/** One call that reached the provider, and how long the Journal was then. */
export interface OracleCall {
  readonly invocationId: string;
  readonly journalLength: number;
}

export interface SimulatedMessage {
  readonly position: string;
  readonly requestId: string;
  readonly request: ToolRequest;
  deliveries: number;
  /** Processes that have it in hand. */
  readonly holders: Set<number>;
  end: Extract<DeliveryEnd, { kind: 'finished' }> | undefined;
  settled: boolean;
}

/** What may go wrong in a schedule, and what stands. */
export interface WorldOptions {
  readonly seed: number;
  readonly faults: boolean;
  readonly messages: number;
  /** Turns the parts of a sound executor into those of a buggy one. */
  readonly sabotage?: ((parts: ExecutorParts) => ExecutorParts) | undefined;
}

const appendFaults: readonly AppendFault[] = [
  ...(['timed_out_stored', 'timed_out_not_stored', 'timed_out_held', 'duplicate', 'duplicate_sequence_zero'] as const),
  ...(['sequence_zero', 'wrong_stream', 'wrong_last_sequence_stored', 'journal_full', 'unavailable', 'error'] as const),
];

const immediately: TimeLimit = async (work) => {
  try {
    return { kind: 'done', value: await work(new AbortController().signal) };
  } catch (error) {
    return { kind: 'threw', error };
  }
};

/** Executors, a queue and a provider around one Journal in memory, moved by a seeded scheduler. */
export class World {
  readonly scheduler: Scheduler;
  readonly oracle: OracleCall[] = [];
  readonly messages: SimulatedMessage[];
  readonly journal: InMemoryJournal;
  readonly delivery: 'AtLeastOnce' | 'AtMostOnce';
  readonly denied: boolean;
  #calm = false;
  #time = 0;
  #ids = 0;
  #processes = 0;
  #alive: { readonly process: number; readonly parts: ExecutorParts }[] = [];
  #troubles = 12;

  constructor(private readonly options: WorldOptions) {
    this.scheduler = new Scheduler(seededRandom(options.seed));
    this.delivery = this.scheduler.pick(['AtLeastOnce', 'AtMostOnce']);
    this.denied = this.scheduler.chance(0.15);
    this.journal = new InMemoryJournal();
    this.messages = Array.from({ length: options.messages }, (_, index) => this.#message(index));
    for (let count = 0; count < 2; count++) this.#boot();
  }

  get facts(): readonly { readonly sequence: number; readonly fact: Fact }[] {
    return this.journal.messages.flatMap(({ sequence, payload }) => {
      const fact = decodeFact(payload);
      return fact ? [{ sequence, fact }] : [];
    });
  }

  /** Runs the schedule to rest: first with troubles, then without. Rejects when it does not come to rest. */
  async run(): Promise<void> {
    for (let step = 0; step < 400 && !this.#atRest; step++) await this.#move();
    this.#calm = true;
    for (let step = 0; step < 2_000 && !this.#atRest; step++) await this.#move();
    if (!this.#atRest) throw new Error('the simulation does not come to rest');
  }

  get #atRest(): boolean {
    return this.messages.every(({ settled }) => settled) && this.scheduler.idle;
  }

  async #move(): Promise<void> {
    if (!this.#calm && this.options.faults && this.#troubles > 0 && this.scheduler.chance(0.08)) this.#trouble();
    const waiting = this.messages.filter(({ settled, holders }) => !settled && holders.size === 0);
    if (waiting.length > 0 && (this.scheduler.idle || this.scheduler.chance(0.3))) this.#deliver(this.scheduler.pick(waiting));
    await this.scheduler.step();
  }

  /** A killed process, a message delivered twice, a late landing or a jump of the clock. */
  #trouble(): void {
    this.#troubles--;
    const trouble = this.scheduler.pick(['kill', 'deliver twice', 'land', 'jump'] as const);
    if (trouble === 'land') this.journal.landHeld();
    if (trouble === 'jump') this.#time += 2_000;
    if (trouble === 'kill') this.#kill(this.scheduler.pick(this.#alive).process);
    const held = this.messages.filter(({ settled, holders }) => !settled && holders.size > 0);
    if (trouble === 'deliver twice' && held.length > 0) this.#deliver(this.scheduler.pick(held));
  }

  #kill(process: number): void {
    this.scheduler.kill(process);
    this.#alive = this.#alive.filter((alive) => alive.process !== process);
    for (const message of this.messages) message.holders.delete(process);
    this.#boot();
  }

  #boot(): void {
    const process = ++this.#processes;
    const turn = (): Promise<void> => this.scheduler.turn(process);
    const parts: ExecutorParts = {
      journal: this.journal.anotherWriter({ turn, fault: () => this.#fault() }),
      store: new InMemoryAttemptStore().putTool(catalogueEntry({ definition: { delivery: this.delivery } })),
      providers: this.#providers(process),
      localHooks: this.denied ? [localHook('no', { decision: 'Denied', code: 'no', message: 'no' })] : [],
      queue: {
        isQueued: (position) => Promise.resolve(this.messages.some((message) => message.position === position && !message.settled)),
      },
      clock: { now: () => new Date(this.#time), monotonic: () => this.#time, sleep: turn },
      newId: () => `id-${++this.#ids}`,
      source: `agentstration/tool-executor/${process}`,
      hookTimeLimit: immediately,
      settings: {
        publishTimeoutMs: 3_000,
        persistArguments: false,
        maximumArgumentsLength: 64,
        redeliveryDelaysMs: Array<number>(40).fill(1),
      },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      meter: { attemptEnded: () => undefined, gateRefused: () => undefined },
      graceEnded: new AbortController().signal,
    };
    this.#alive.push({ process, parts: this.options.sabotage?.(parts) ?? parts });
  }

  #fault(): AppendFault | undefined {
    if (this.#calm || !this.options.faults || this.#troubles <= 0 || !this.scheduler.chance(0.06)) return undefined;
    this.#troubles--;
    return this.scheduler.pick(appendFaults);
  }

  #providers(process: number): ToolProviders {
    return {
      prepare: () => this.scheduler.turn(process),
      call: async (permit: Permit, _call: ProviderCall): Promise<ProviderOutcome> => {
        await this.scheduler.turn(process);
        if (!permit.use(this.#time).usable) return { kind: 'not_sent', code: 'permit_expired' };
        this.oracle.push({ invocationId: permit.attempt.invocationId, journalLength: this.journal.messages.length });
        await this.scheduler.turn(process);
        return { kind: 'answered', result: {}, isError: false };
      },
    };
  }

  #deliver(message: SimulatedMessage): void {
    const free = this.#alive.filter(({ process }) => !message.holders.has(process));
    if (free.length === 0) return;
    const { process, parts } = this.scheduler.pick(free);
    message.holders.add(process);
    message.deliveries++;
    void this.#execute({ process, parts }, message);
  }

  async #execute({ process, parts }: { process: number; parts: ExecutorParts }, message: SimulatedMessage): Promise<void> {
    const { position: queuePosition, requestId } = message;
    const end = await executeToolCall(parts, {
      ...{ scope, request: message.request, requestId, queuePosition },
      redelivered: message.deliveries > 1,
      signal: new AbortController().signal,
    });
    // The result is delivered and acknowledged: an executor can die before, between and after.
    await this.scheduler.turn(process);
    message.holders.delete(process);
    if (end.kind !== 'finished') return;
    message.end ??= end;
    message.settled = true;
  }

  #message(index: number): SimulatedMessage {
    const requestId = this.scheduler.chance(0.5) ? 'request' : `request-${index}`;
    const none = { deliveries: 0, end: undefined, settled: false };
    return { position: `queue:${index + 1}`, requestId, request: request({ requestId }), holders: new Set(), ...none };
  }
}
