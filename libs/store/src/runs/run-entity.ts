import type { OwnerKind } from '@agentstration/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunToolCall } from './run-store.ts';

/** A row of `agentstration.runs`. The migrations make the table; this maps it. */
@Entity({ schema: 'agentstration', name: 'runs' })
export class RunEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @PrimaryColumn({ name: 'workspace_id', type: 'text' })
  workspaceId: string;

  @PrimaryColumn({ name: 'owner_kind', type: 'text' })
  ownerKind: OwnerKind;

  @PrimaryColumn({ name: 'run_id', type: 'text' })
  runId: string;

  @Column({ type: 'bigint', insert: false, update: false })
  position: string;

  @Column({ name: 'agent_id', type: 'text', nullable: true })
  agentId: string | null;

  @Column({ name: 'principal_id', type: 'text' })
  principalId: string;

  @Column({ name: 'persist_tool_arguments', type: 'boolean', nullable: true })
  persistToolArguments: boolean | null;

  @Column({ name: 'retry_of', type: 'text', nullable: true })
  retryOf: string | null;

  @Column({ name: 'tool_calls', type: 'json' })
  toolCalls: readonly RunToolCall[];

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt: Date;

  @Column({ name: 'cancelled_at', type: 'timestamptz', nullable: true, insert: false })
  cancelledAt: Date | null;

  @Column({ name: 'cancelled_by', type: 'text', nullable: true, insert: false })
  cancelledBy: string | null;
}
