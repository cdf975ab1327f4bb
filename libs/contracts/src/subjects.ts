import { type OwnerKindToken, type RunKey, type Scope, type ToolCallKey, matches, parseOwnerKind, toOwnerKindToken } from './identities.ts';

/** The JetStream streams of the product. */
export const streams = {
  journal: 'AGENTSTRATION_JOURNAL',
  requests: 'AGENTSTRATION_REQUESTS',
  results: 'AGENTSTRATION_RESULTS',
  deadLetters: 'AGENTSTRATION_DEAD_LETTERS',
} as const;

const tools = 'agentstration.tools.v1';
const journal = 'agentstration.journal.v1';
const control = 'agentstration.control.v1';

/** What each stream captures, and what services subscribe to. */
export const subjectFilters = {
  journal: `${journal}.>`,
  requests: `${tools}.*.*.request`,
  calls: `${tools}.*.*.call`,
  cancels: `${tools}.*.*.cancel`,
  results: `${tools}.*.*.result.>`,
  deadLetters: `${tools}.*.*.dead-letter`,
  discover: `${control}.*.*.discover`,
} as const;

const plain = /[A-Za-z0-9_-]/;

/** One canonical subject token of an id: every byte outside `[A-Za-z0-9_-]` percent-encoded in upper-case hex. */
export function encodeToken(id: string): string {
  let token = '';
  for (const byte of new TextEncoder().encode(id)) {
    const character = String.fromCharCode(byte);
    token += byte < 0x80 && plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return token;
}

/** The id of a token; undefined unless the token is the canonical form of some id. */
export function decodeToken(token: string): string | undefined {
  try {
    const id = decodeURIComponent(token);
    return id !== '' && encodeToken(id) === token ? id : undefined;
  } catch {
    return undefined;
  }
}

const scoped = (prefix: string, scope: Scope, rest: string): string => `${prefix}.${scope.tenantId}.${scope.workspaceId}.${rest}`;
const runTokens = (run: RunKey): string => `${toOwnerKindToken(run.ownerKind)}.${encodeToken(run.runId)}`;

export const requestSubject = (scope: Scope): string => scoped(tools, scope, 'request');
export const callSubject = (scope: Scope): string => scoped(tools, scope, 'call');
export const cancelSubject = (scope: Scope): string => scoped(tools, scope, 'cancel');
export const deadLetterSubject = (scope: Scope): string => scoped(tools, scope, 'dead-letter');
export const discoverSubject = (scope: Scope): string => scoped(control, scope, 'discover');
export const resultSubject = (call: ToolCallKey): string =>
  scoped(tools, call, `result.${runTokens(call)}.${encodeToken(call.toolCallId)}`);

/** The subject that carries every fact of one Tool Call, in order. */
export const toolCallJournalSubject = (call: ToolCallKey): string => `${runJournalSubject(call)}.${encodeToken(call.toolCallId)}`;

/** The subject of the facts of the Run itself. */
export const runJournalSubject = (run: RunKey): string => scoped(journal, run, runTokens(run));

/** Reply subjects of requesters: each Workspace may be answered only below its own prefix. */
export const inboxPrefix = (scope: Scope): string => `_INBOX.${scope.tenantId}.${scope.workspaceId}`;

/** The Workspace that a `agentstration.tools.v1` or `agentstration.control.v1` subject names; undefined when it names none. */
export function parseScope(subject: string): Scope | undefined {
  const [, , , tenantId = '', workspaceId = ''] = subject.split('.');
  return matches('scopeId', tenantId) && matches('scopeId', workspaceId) ? { tenantId, workspaceId } : undefined;
}

/** Identities in a Journal subject: always the Workspace and the Run, and the Tool Call where the subject has one. */
export interface JournalPosition extends RunKey {
  readonly toolCallId?: string;
}

/** Reads a Journal subject; undefined for a subject that no fact of the product has. */
export function parseJournalSubject(subject: string): JournalPosition | undefined {
  const tokens = subject.split('.');
  const [, , , , , kind = '', run = '', call] = tokens;
  const scope = subject.startsWith(`${journal}.`) ? parseScope(subject) : undefined;
  const ownerKind = (['runtime', 'flow'] satisfies OwnerKindToken[]).some((token) => token === kind) ? parseOwnerKind(kind) : undefined;
  const runId = decodeToken(run);
  if (!scope || !ownerKind || !runId || tokens.length > 8) return undefined;
  if (call === undefined) return { ...scope, ownerKind, runId };
  const toolCallId = decodeToken(call);
  return toolCallId ? { ...scope, ownerKind, runId, toolCallId } : undefined;
}
