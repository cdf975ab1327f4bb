import type { ProviderOutcome } from '@agentstration/governance';
import type { McpResult } from '../connection/provider-connection.ts';

/**
 * Judges what `tools/call` answered. A `CallToolResult` is passed through as it came, with the tool's own `isError`.
 * What is no final result (a task that goes on, `input_required` of later revisions) or no result at all cannot be used.
 */
export function readCallResult(result: McpResult): ProviderOutcome {
  const { content, structuredContent, isError = false, resultType } = result;
  const hasResult = Array.isArray(content) || (typeof structuredContent === 'object' && structuredContent !== null);
  const isFinal = resultType === undefined || resultType === 'complete';
  if (!hasResult || !isFinal || typeof isError !== 'boolean') return { kind: 'refused', code: 'provider_protocol_error' };
  return { kind: 'answered', result, isError };
}
