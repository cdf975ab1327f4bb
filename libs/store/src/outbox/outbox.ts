import type { Scope } from '@agentstration/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { queryInScope } from '../connection/query-in-scope.ts';
import { everyWorkspace } from '../connection/scope.ts';
import { OutboxEntity } from './outbox-entity.ts';

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

/** Writes messages in the transaction of the change that causes them. */
export async function writeToOutbox(manager: EntityManager, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length > 0) await manager.insert(OutboxEntity, [...messages]);
}

/** A fact waits while an older one of its subject does: the fence of the later one names the former. */
const claimDue = `WITH due AS (
    SELECT o.position FROM agentstration.outbox o
    WHERE o.sent_at IS NULL AND (o.leased_until IS NULL OR o.leased_until < clock_timestamp())
      AND NOT (o.kind = 'fact' AND EXISTS (
        SELECT FROM agentstration.outbox older
        WHERE older.subject = o.subject AND older.kind = 'fact' AND older.sent_at IS NULL AND older.position < o.position))
    ORDER BY o.position LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE agentstration.outbox o
  SET leased_until = clock_timestamp() + $2::integer * interval '1 millisecond', claims = o.claims + 1
  FROM due WHERE o.position = due.position
  RETURNING o.position, o.tenant_id, o.workspace_id, o.message_id, o.kind, o.subject, o.payload, o.claims, o.created_at`;

interface ClaimedRow {
  readonly position: string;
  readonly tenant_id: string;
  readonly workspace_id: string;
  readonly message_id: string;
  readonly kind: OutboxMessage['kind'];
  readonly subject: string;
  readonly payload: string;
  readonly claims: number;
  readonly created_at: Date;
}

/**
 * The transactional outbox. Messages are written with the change that causes them, claimed under a lease, sent, and marked.
 * A crash anywhere loses none; one may be sent twice, under its fixed id. Facts of one subject are handed out in order,
 * one at a time. Every method rejects with `StoreUnavailable` while the database cannot be used.
 */
export class Outbox {
  constructor(private readonly dataSource: DataSource) {}

  /** Leases unsent messages of all Workspaces, oldest first. A lease that ends unmarked makes them due again. */
  async claim({ limit, leaseMs }: { readonly limit: number; readonly leaseMs: number }): Promise<readonly ClaimedMessage[]> {
    const rows = await this.#run<ClaimedRow>('claim_outbox', claimDue, [limit, leaseMs]);
    return rows.map(toMessage).sort((left, right) => Number(BigInt(left.position) - BigInt(right.position)));
  }

  /** Done: the broker holds them. Their payloads are removed. */
  async markSent(messages: readonly Pick<ClaimedMessage, 'position'>[]): Promise<void> {
    const sent = `UPDATE agentstration.outbox SET sent_at = now(), payload = NULL, leased_until = NULL
      WHERE position = ANY ($1::bigint[]) AND sent_at IS NULL`;
    await this.#run('mark_outbox_sent', sent, [positions(messages)]);
  }

  /** Gives messages back before their lease ends. */
  async release(messages: readonly Pick<ClaimedMessage, 'position'>[]): Promise<void> {
    const free = `UPDATE agentstration.outbox SET leased_until = NULL WHERE position = ANY ($1::bigint[]) AND sent_at IS NULL`;
    await this.#run('release_outbox', free, [positions(messages)]);
  }

  /** How many wait, and since when the oldest does. */
  async backlog(): Promise<{ readonly waiting: number; readonly oldestAt: string | null }> {
    const count = `SELECT count(*)::integer AS waiting, min(created_at) AS oldest FROM agentstration.outbox WHERE sent_at IS NULL`;
    const [row] = await this.#run<{ waiting: number; oldest: Date | null }>('outbox_backlog', count, []);
    return { waiting: row?.waiting ?? 0, oldestAt: row?.oldest?.toISOString() ?? null };
  }

  /** Removes what was sent longer ago than this; answers how many. */
  async purgeSent(olderThanMs: number): Promise<number> {
    const purge = `DELETE FROM agentstration.outbox WHERE sent_at < now() - $1::bigint * interval '1 millisecond' RETURNING position`;
    return (await this.#run('purge_outbox', purge, [olderThanMs])).length;
  }

  #run<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return queryInScope<Row>(this.dataSource, everyWorkspace, { name, text, values });
  }
}

const positions = (messages: readonly Pick<ClaimedMessage, 'position'>[]): string[] => messages.map(({ position }) => position);

const toMessage = (row: ClaimedRow): ClaimedMessage => ({
  tenantId: row.tenant_id,
  workspaceId: row.workspace_id,
  messageId: row.message_id,
  kind: row.kind,
  subject: row.subject,
  payload: row.payload,
  position: row.position,
  claims: row.claims,
  createdAt: row.created_at.toISOString(),
});
