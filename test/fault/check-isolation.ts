import type { Evidence } from './evidence.ts';
import { credentialOf, nameOf, scopes } from './scopes.ts';
import { keyOf } from './workload.ts';

const workspaceOfCredential = new Map(scopes.map((scope) => [credentialOf(scope), nameOf(scope)]));

/**
 * I8: what was called with the credentials of a Workspace was asked for, and recorded, in that Workspace; and whatever a
 * requester was told is of its own: the attempt, and the arguments that come back.
 */
export function foreignThings(evidence: Evidence): string[] {
  const recordedIn = new Map(evidence.journal.map(({ fact, workspace }) => [fact.data.invocationId, workspace]));
  const calls = evidence.calls.flatMap(({ key, invocationId, credential }) => {
    const used = workspaceOfCredential.get(credential) ?? 'nobody';
    const recorded = recordedIn.get(invocationId);
    if (!key.startsWith(`${used} `)) return [`${key} was called with the credentials of ${used}`];
    // A call without any fact is for I1 to tell.
    return recorded === undefined || recorded === used
      ? []
      : [`${key} was called with the credentials of ${used} and recorded in ${recorded}`];
  });
  const told = evidence.history.flatMap(({ party, request: { toolCallId }, result }) => {
    const own = nameOf(party.scope);
    const recorded = recordedIn.get(result?.invocationId ?? '') ?? own;
    if (recorded !== own) return [`${keyOf(own, toolCallId)} was told of an attempt of ${recorded}`];
    const echoed =
      (result?.result as { structuredContent?: { workspace?: unknown } } | null | undefined)?.structuredContent?.workspace ?? own;
    return echoed === own ? [] : [`${keyOf(own, toolCallId)} was given the result of another Workspace`];
  });
  return [...calls, ...told];
}
