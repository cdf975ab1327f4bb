import { type ToolCallKey, factContentType, streams } from '@agentstration/contracts';
import {
  type Append,
  type AppendOutcome,
  type Journal,
  JournalUnavailable,
  type RecordedFact,
  type StoredMessage,
} from '@agentstration/governance';
import { type JetStreamClient, type JetStreamManager, type JetStreamPublishOptions, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, headers } from '@nats-io/transport-node';
import { type JournalRecord, readStoredMessage } from '../read/read-stored-message.ts';
import { readToolCallFacts } from '../read/read-tool-call.ts';
import type { JournalVerifier } from '../verify/journal-verifier.ts';
import { fromAcknowledgement, fromError, refused } from './to-append-outcome.ts';

export interface JetStreamJournalOptions {
  readonly connection: NatsConnection;
  /** Says whether the Journal may be used at all; nothing is appended or read while it may not. */
  readonly verifier: JournalVerifier;
  /** How long one publish may wait for its acknowledgement, in milliseconds. */
  readonly publishTimeoutMs: number;
}

/**
 * The {@link Journal} in JetStream: one publish per append, no retry, and it reports what the broker said.
 *
 * The fence gives facts their uniqueness. They carry no `Nats-Msg-Id`: its memory is one for the whole stream, and a
 * broker without quorum can answer from it for a message it never stored.
 */
export class JetStreamJournal implements Journal {
  readonly #options: JetStreamJournalOptions;
  readonly #client: JetStreamClient;
  readonly #manager: Promise<JetStreamManager>;

  constructor(options: JetStreamJournalOptions) {
    this.#options = options;
    this.#client = jetstream(options.connection);
    this.#manager = jetstreamManager(options.connection, { checkAPI: false, timeout: options.publishTimeoutMs });
  }

  async append(append: Append): Promise<AppendOutcome> {
    const { verifier } = this.#options;
    const objection = await verifier.objection();
    if (objection !== undefined) return refused('not_verified', objection);
    const heard = verifier.publishing(storedBytes(append));
    const outcome = await this.#publish(append);
    heard(outcome);
    if (outcome.kind !== 'acknowledged' || !verifier.contradicted) return outcome;
    return { kind: 'unknown', detail: 'the Journal was found changed while the acknowledgement was on its way' };
  }

  async readLast(subject: string): Promise<StoredMessage | undefined> {
    return this.#reading((read) => read({ last_by_subj: subject }));
  }

  async readToolCall(call: ToolCallKey): Promise<readonly RecordedFact[]> {
    return this.#reading((read) => readToolCallFacts(read, call));
  }

  async #publish(append: Append): Promise<AppendOutcome> {
    const { floor } = this.#options.verifier;
    try {
      return fromAcknowledgement(await this.#client.publish(append.subject, append.payload, this.#publishOptions(append)), floor);
    } catch (error) {
      return fromError(error);
    }
  }

  /** `retries` counts attempts, the first included: 1 sends once. The client re-sends after a time-out otherwise. */
  #publishOptions(append: Append): Partial<JetStreamPublishOptions> {
    const contentType = headers();
    contentType.set('content-type', factContentType);
    return {
      headers: contentType,
      expect: { streamName: streams.journal, lastSubjectSequence: append.expectedLastSequence },
      timeout: this.#options.publishTimeoutMs,
      retries: 1,
    };
  }

  /** What is read from a Journal that is not verified might be another's history. */
  async #reading<Result>(
    read: (ask: (query: Parameters<typeof readStoredMessage>[1]) => Promise<JournalRecord | undefined>) => Promise<Result>,
  ) {
    const objection = await this.#options.verifier.objection();
    if (objection !== undefined) throw new JournalUnavailable(objection);
    const manager = await this.#manager;
    return read((query) => readStoredMessage(manager, query));
  }
}

/** What a broker's file store adds to subject and payload: its record (30 bytes and a length) and the headers, well rounded up. */
const overheadBytes = 256;

const storedBytes = ({ subject, payload }: Append): number => subject.length + payload.length + overheadBytes;
