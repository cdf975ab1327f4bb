import { streams } from '@agentstration/contracts';
import type { AppendOutcome } from '@agentstration/governance';
import { type JetStreamManager, type StreamInfo, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { toJournalState } from '../read/journal-state.ts';
import { adviceOn } from './broker-advice.ts';
import { type Durability, DurabilityReader } from './durability-reader.ts';
import { JournalHistory } from './journal-history.ts';
import { JournalIntake } from './journal-intake.ts';
import { findLoss } from './journal-loss.ts';
import { type JournalStatus, differs } from './journal-status.ts';
import { findFaults, holdersOf, lookAtJournal } from './look-at-journal.ts';
import { watchConnection } from './watch-connection.ts';

export interface JournalVerifierOptions {
  readonly connection: NatsConnection;
  /** Below it the Journal is not verified. */
  readonly requiredDurability: Durability;
  /** Base URLs of the monitoring endpoints of every broker, e.g. `http://10.0.0.1:8222`. Without them the level is `process`. */
  readonly monitoringUrls: readonly string[];
  /** What the facts of one attempt may take in the worst case, in bytes; default 177 KiB. */
  readonly attemptBytes?: number;
  /** Bytes below the Journal's MaximumBytes that no new attempt may use up. */
  readonly reserveBytes?: number;
  /** How long one look at the Journal may take, in milliseconds; default 3000. */
  readonly timeoutMs?: number;
}

const defaultAttemptBytes = 177 * 1024;
const intervalMs = 5000;
/** While something is wrong: recovery should not have to wait. */
const anxiousIntervalMs = 1000;

/**
 * Checks that the Journal is what the gate relies on: on start, on reconnect, on stream advisories and every 5 seconds.
 * It never creates or edits anything. What it finds wrong closes the gate; it opens again by itself once the cause is
 * gone, except after facts were lost.
 */
export class JournalVerifier {
  readonly #options: JournalVerifierOptions;
  readonly #manager: Promise<JetStreamManager>;
  readonly #history = new JournalHistory();
  readonly #intake: JournalIntake;
  readonly #durability: DurabilityReader;
  readonly #listeners = new Set<(status: JournalStatus) => void>();
  #verdict: Verdict = {
    status: { verified: false, reasons: ['The Journal was not checked yet'], durability: 'process' },
    contradicted: false,
  };
  #connected = true;
  /** A check for a cause: it must end before anything is believed again. */
  #pending: Promise<void> | undefined;
  #again = false;
  #checksBegun = 0;
  #newestVerdict = 0;
  #looking: { again: boolean } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: (() => void)[] = [];

  constructor(options: JournalVerifierOptions) {
    this.#options = options;
    const { attemptBytes = defaultAttemptBytes, reserveBytes } = options;
    this.#intake = new JournalIntake({ attemptBytes, reserveBytes, onMustLook: () => void this.#lookSoon() });
    this.#durability = new DurabilityReader(options.monitoringUrls);
    this.#manager = jetstreamManager(options.connection, { checkAPI: false, timeout: options.timeoutMs ?? 3000 });
  }

  /** Makes the first check and goes on checking until {@link stop}. Never rejects: the status says what it found. */
  async start(): Promise<JournalStatus> {
    const { connection } = this.#options;
    const advisories: Subscription = connection.subscribe(`$JS.EVENT.ADVISORY.STREAM.*.${streams.journal}`, {
      callback: () => this.#recheck(),
    });
    const unwatch = watchConnection(connection, { down: () => this.#lost(), up: () => this.#found() });
    this.#end = [unwatch, () => advisories.unsubscribe(), () => clearTimeout(this.#timer)];
    this.#recheck();
    await this.#pending;
    return this.status;
  }

  async stop(): Promise<void> {
    for (const end of this.#end.splice(0)) end();
    this.#listeners.clear();
    await this.#pending;
    clearTimeout(this.#timer);
  }

  get status(): JournalStatus {
    const { status } = this.#verdict;
    if (this.#connected && this.#options.connection.info !== undefined) return status;
    return { ...status, verified: false, reasons: ['The connection to NATS is lost; it is being made again'] };
  }

  /** Why nothing may be appended or read now; undefined when it may. Waits for a check that is under way for a cause. */
  async objection(): Promise<string | undefined> {
    if (this.#connected) await this.#pending;
    const { verified, reasons } = this.status;
    return verified ? undefined : reasons.join(' ');
  }

  /** Every acknowledgement of a publish that is sent now must have a higher sequence. */
  get floor(): number {
    return this.#history.floor;
  }

  /** Whether the last look at the Journal found another Journal than the gate relies on. */
  get contradicted(): boolean {
    return this.#verdict.contradicted;
  }

  /** False while the Journal is not verified, or so full that the facts of a new attempt might not fit. */
  acceptsNewAttempts(): boolean {
    return this.status.verified && this.#intake.isOpen;
  }

  /** How many attempts may begin now, while so many are under way here. The facts of all of them will find room. */
  roomForAttempts(underWay: number): number {
    return this.status.verified ? this.#intake.attempts(underWay) : 0;
  }

  /** Takes note of a publish of so many bytes. Call what it answers with what the publish came to. */
  publishing(bytes: number): (outcome: AppendOutcome) => void {
    const heard = this.#intake.publishing(bytes);
    return (outcome) => {
      heard(outcome);
      if (outcome.kind !== 'acknowledged') return;
      const { stream, sequence, duplicate } = outcome.acknowledgement;
      if (stream === streams.journal && !duplicate) this.#history.reached(sequence);
    };
  }

  /** Calls back when what the status says changes. Answers a function that ends it. */
  onChange(listener: (status: JournalStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #lost(): void {
    this.#connected = false;
    this.#announce();
  }

  #found(): void {
    this.#durability.forget();
    this.#recheck();
    this.#connected = true;
  }

  /** One at a time: many publishes at once may ask for it, and the last of them may have come too late for the one under way. */
  async #lookSoon(): Promise<void> {
    if (this.#end.length === 0) return;
    if (this.#looking) return void (this.#looking.again = true);
    this.#looking = { again: false };
    await this.#check();
    const { again } = this.#looking;
    this.#looking = undefined;
    if (again) await this.#lookSoon();
  }

  /** A check for a cause: until it has ended, nothing is appended. */
  #recheck(): void {
    this.#again = true;
    this.#pending ??= this.#checkUntilSettled().finally(() => (this.#pending = undefined));
  }

  /** A cause that came up during a check may have been missed by it. */
  async #checkUntilSettled(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#check();
    }
  }

  async #check(): Promise<void> {
    clearTimeout(this.#timer);
    const check = (this.#checksBegun += 1);
    const asked = { floor: this.#history.floor, mark: this.#intake.mark };
    const sight = await lookAtJournal(await this.#manager);
    const verdict = sight.info ? await this.#judge(sight.info, asked) : this.#unseen(sight.missing, sight.reason);
    if (check < this.#newestVerdict) return;
    this.#newestVerdict = check;
    const before = this.#verdict.status;
    this.#verdict = verdict;
    if (differs(before, verdict.status)) this.#announce();
    this.#schedule();
  }

  #unseen(missing: boolean, reason: string): Verdict {
    const advice = this.#history.began ? 'It was there before: restore it from a backup.' : 'Run the provisioning.';
    const status = { ...this.#verdict.status, verified: false, reasons: [missing ? `${reason}. ${advice}` : reason] };
    return { status, contradicted: missing };
  }

  async #judge(info: StreamInfo, { floor, mark }: Asked): Promise<Verdict> {
    const journal = toJournalState(info);
    const history = this.#history.judge({ state: journal, floor, now: performance.now() });
    const faults = [history, findLoss(journal), ...findFaults(info)].filter((fault) => fault !== undefined);
    const durability = await this.#durability.read(holdersOf(info, this.#options.connection.info?.server_name));
    const tooWeak = this.#options.requiredDurability === 'power' && durability.level !== 'power';
    const broken = tooWeak
      ? [...faults, `Journal:RequiredDurability is power, the Journal reaches process: ${durability.because}.`]
      : faults;
    const advice = adviceOn({ version: this.#options.connection.info?.version ?? '', replicas: journal.replicas });
    const status = {
      verified: broken.length === 0,
      reasons: [...broken, ...this.#intake.look(journal, mark)],
      durability: durability.level,
      ...(durability.because === undefined ? {} : { durabilityBecause: durability.because }),
      ...(advice === undefined ? {} : { advice }),
      journal,
    };
    return { status, contradicted: faults.length > 0 };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const delay = this.#verdict.status.reasons.length === 0 ? intervalMs : anxiousIntervalMs;
    if (this.#end.length > 0) this.#timer = setTimeout(() => void this.#check(), delay).unref();
  }

  #announce(): void {
    const { status } = this;
    // Apart: what a listener throws must not end the checking.
    for (const listener of this.#listeners) queueMicrotask(() => listener(status));
  }
}

/** What was known when a look at the Journal was sent. */
interface Asked {
  readonly floor: number;
  readonly mark: number;
}

interface Verdict {
  readonly status: JournalStatus;
  /** Whether the Journal is another than the gate relies on, rather than out of reach. */
  readonly contradicted: boolean;
}
