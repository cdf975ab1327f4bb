import type { NatsConnection } from '@nats-io/transport-node';
import type { JournalState } from '../read/journal-state.ts';

/** `process`: survives a killed broker process. `power`: every replica fsyncs before it acknowledges. */
export type Durability = 'process' | 'power';

export interface JournalVerifierOptions {
  readonly connection: NatsConnection;
  /** Below it the Journal is not verified. */
  readonly requiredDurability: Durability;
  /** Base URLs of the monitoring endpoints of every broker, e.g. `http://10.0.0.1:8222`. Without them the level is `process`. */
  readonly monitoringUrls: readonly string[];
  /** Bytes below the Journal's MaximumBytes that are kept for the facts of attempts already started. */
  readonly reserveBytes?: number;
}

/** What the last check found. */
export interface JournalStatus {
  /** Whether facts may be appended. */
  readonly verified: boolean;
  /** Why not, or why no new attempt may start: what is wrong and what to do. Empty when all is well. */
  readonly reasons: readonly string[];
  readonly durability: Durability;
  /** The Journal as the last successful look saw it. */
  readonly journal: JournalState | undefined;
}

/** Checks that the Journal is what the gate relies on: on start, on reconnect, on stream advisories and every 5 seconds. */
export class JournalVerifier {
  constructor(private readonly options: JournalVerifierOptions) {}

  /** Makes the first check and goes on checking until {@link stop}. Never rejects: the status says what it found. */
  start(): Promise<JournalStatus> {
    return Promise.resolve(this.status);
  }

  get status(): JournalStatus {
    return { verified: false, reasons: ['not checked yet'], durability: this.options.requiredDurability, journal: undefined };
  }

  /** False while the Journal is not verified, or so full that the facts of a new attempt might not fit. */
  acceptsNewAttempts(): boolean {
    return this.status.verified;
  }

  /** Calls back after every change of the status. Answers a function that ends it. */
  onChange(_listener: (status: JournalStatus) => void): () => void {
    return () => undefined;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
