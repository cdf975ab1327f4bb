import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OutboxMessage } from './outbox.ts';

/** A row of `agentstration.outbox`. The migrations make the table; this maps it. */
@Entity({ schema: 'agentstration', name: 'outbox' })
export class OutboxEntity {
  @PrimaryColumn({ type: 'bigint', insert: false, update: false })
  position: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @Column({ name: 'workspace_id', type: 'text' })
  workspaceId: string;

  @Column({ name: 'message_id', type: 'text' })
  messageId: string;

  @Column({ type: 'text' })
  kind: OutboxMessage['kind'];

  @Column({ type: 'text' })
  subject: string;

  @Column({ type: 'text', nullable: true })
  payload: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt: Date;

  @Column({ type: 'integer', insert: false })
  claims: number;

  @Column({ name: 'leased_until', type: 'timestamptz', nullable: true, insert: false })
  leasedUntil: Date | null;

  @Column({ name: 'sent_at', type: 'timestamptz', nullable: true, insert: false })
  sentAt: Date | null;
}
