import type { ToolCallKey } from '@agentstration/contracts';
import type { Append, AppendOutcome, Journal, RecordedFact, StoredMessage } from '@agentstration/governance';
import type { NatsConnection } from '@nats-io/transport-node';
import type { JournalVerifier } from '../verify/journal-verifier.ts';

export interface JetStreamJournalOptions {
  readonly connection: NatsConnection;
  /** Says whether the Journal may be written at all; the journal refuses while it does not. */
  readonly verifier: JournalVerifier;
  /** How long one publish may wait for its acknowledgement, in milliseconds. */
  readonly publishTimeoutMs: number;
}

/** The {@link Journal} in JetStream: one publish per append, no retry, and it reports what the broker said. */
export class JetStreamJournal implements Journal {
  constructor(private readonly options: JetStreamJournalOptions) {}

  append(_append: Append): Promise<AppendOutcome> {
    return Promise.resolve({ kind: 'refused', reason: 'not_verified', detail: this.options.verifier.status.reasons.join('; ') });
  }

  readLast(_subject: string): Promise<StoredMessage | undefined> {
    return Promise.reject(new Error('not built yet'));
  }

  readToolCall(_call: ToolCallKey): Promise<readonly RecordedFact[]> {
    return Promise.reject(new Error('not built yet'));
  }
}
