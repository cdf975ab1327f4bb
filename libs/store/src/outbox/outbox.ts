import type { Scope } from '@agentstration/contracts';
import type { DataSource } from 'typeorm';

/** A message that leaves for the broker because a transaction committed. */
export interface OutboxMessage extends Scope {
  /** Fixed when written: the fact's id, or the `requestId`. A resend carries the same. */
  readonly messageId: string;
  readonly kind: 'fact' | 'tool-request';
  readonly subject: string;
  /** The exact body, UTF-8 text. Removed once sent. */
  readonly payload: string;
}

/** A message that this process may send until its lease ends. */
export interface ClaimedMessage extends OutboxMessage {
  /** Grows in the order of writing. */
  readonly position: string;
  /** 1 for the first claim. Above it, the broker may already hold the message. */
  readonly claims: number;
  readonly createdAt: string;
}

/**
 * The transactional outbox. Messages are written with the change that causes them, claimed under a lease, sent, and marked.
 * A crash anywhere loses none; one may be sent twice, under its fixed id. Facts of one subject are handed out in order,
 * one at a time.
 */
export class Outbox {
  constructor(private readonly dataSource: DataSource) {}

  /** Leases unsent messages of all Workspaces, oldest first. */
  claim(_request: { readonly limit: number; readonly leaseMs: number }): Promise<readonly ClaimedMessage[]> {
    return this.notYet();
  }

  /** Done: the broker holds them. Their payloads are removed. */
  markSent(_messages: readonly ClaimedMessage[]): Promise<void> {
    return this.notYet();
  }

  /** Gives messages back before their lease ends. */
  release(_messages: readonly ClaimedMessage[]): Promise<void> {
    return this.notYet();
  }

  /** How many wait, and since when the oldest does. */
  backlog(): Promise<{ readonly waiting: number; readonly oldestAt: string | null }> {
    return this.notYet();
  }

  /** Removes rows sent longer ago than this; answers how many. */
  purgeSent(_olderThanMs: number): Promise<number> {
    return this.notYet();
  }

  private notYet(): Promise<never> {
    void this.dataSource;
    return Promise.reject(new Error('not built yet'));
  }
}
