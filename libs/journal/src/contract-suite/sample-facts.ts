import { type Fact, type ToolCallKey, cloudEventType } from '@agentstration/contracts';

/** A Tool Call of its own for each number. */
export const sampleCall = (number: number, over: Partial<ToolCallKey> = {}): ToolCallKey => ({
  tenantId: 'acme',
  workspaceId: 'demo',
  ownerKind: 'RuntimeRun',
  runId: `run-${number}`,
  toolCallId: `call_${number}`,
  ...over,
});

/** A valid fact of that call; `id` tells it from others. */
export const sampleFact = ({ ownerKind, runId, toolCallId }: ToolCallKey, id: string): Fact => ({
  specversion: '1.0',
  id,
  source: 'agentstration/tool-executor/spec',
  type: cloudEventType('ToolExecutionStarted'),
  subject: toolCallId,
  time: '2026-12-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  data: {
    ...{ ownerKind, runId, toolCallId, invocationId: `invocation-${id}`, attempt: 1, requestId: 'request-1' },
    ...{ toolId: 'everything.echo', toolName: 'echo', providerId: 'everything', externalToolId: 'echo', agentId: 'support-agent' },
  },
});
