import type { Requirement } from '../requirements.ts';

/** Tool providers: what reaches them, what becomes of a call, and what is left behind. */
export const providerRequirements = {
  'PROV-001': { text: 'The provider port cannot be called without a permit, and a permit cannot be made outside of the gate.' },
  'PROV-002': { text: 'A permit is spent right before the request leaves; one that is used, too old or for another tool sends nothing.' },
  'PROV-003': {
    text: 'A result is passed through as it came; isError is the tool’s own report, and no output schema turns it into a failure.',
  },
  'PROV-004': { text: 'A JSON-RPC error, an unusable answer and a result that is not final are refusals, never successes.' },
  'PROV-005': {
    text: 'A time-out or a cancellation after the call was sent is unknown, and the server is told; before that, nothing was sent.',
  },
  'PROV-006': { text: 'A connection lost after sending is unknown and never repeated, whatever broke it.' },
  'PROV-007': { text: 'A connection that never came about, or an initialization that failed, is not sent.' },
  'PROV-008': { text: 'A lost session (HTTP 404, nothing executed) is answered by one new session and one resend under the same permit.' },
  'PROV-009': { text: 'A response that ends without an answer is noticed at once, unless the server lets the client resume it.' },
  'PROV-010': { text: 'A result above the limit (10 MiB by default) fails clearly and alone; it is never parsed or held in memory.' },
  'PROV-011': { text: 'timeoutMs bounds the whole call: progress cannot prolong it, and a call with progress lives until then.' },
  'PROV-012': { text: 'A slow or lost call leaves its neighbours on the same server untouched.' },
  'PROV-013': {
    text: 'There is one connection per Workspace, provider, generation and credentials, started once for all who wait for it.',
  },
  'PROV-014': { text: 'A server that ends is started again, with a growing delay when it keeps failing, and idle connections are closed.' },
  'PROV-015': { text: 'One Workspace cannot take more than its share of connections.' },
  'PROV-016': { text: 'A stdio server comes from a host profile that is open to the Workspace, with a minimal environment.' },
  'PROV-017': { text: 'No process of a stdio server is left behind: by closing, by a killed executor, or when wrapped in a shell.' },
  'PROV-018': { text: 'Noise on standard output is ignored and counted; standard error is never logged.' },
  'PROV-019': { text: 'Endpoints are http(s); inside addresses in any notation are refused unless the host allows them.' },
  'PROV-020': { text: 'The address that was judged is the address that the connection uses: a name cannot change its mind.' },
  'PROV-021': { text: 'Redirects are not followed, and no server can point the client at another for tokens.' },
  'PROV-022': {
    text: 'A secret goes only to the Workspaces and hosts of its entry, never over plain http to a public host, and is read fresh.',
  },
  'PROV-023': { text: 'MCP revisions 2024-11-05 to 2025-11-25 are spoken; another one fails the initialization.' },
  'PROV-024': { text: 'An AEP descriptor is fetched within bounds and validated as a whole: revision, identity, ids, servers, endpoints.' },
  'PROV-025': { text: 'AEP tools are called on the same path: the contribution id maps to the server and tool of the descriptor.' },
  'PROV-026': { text: 'Relative AEP endpoints resolve against the extension’s; absolute ones are checked like any other endpoint.' },
  'PROV-027': {
    text: 'Discovery reads all pages; a list that loops, repeats a name, or is too large or unstorable is refused as a whole.',
  },
  'PROV-028': { text: 'Failures of discovery carry a code of a closed, documented list and no text of the provider.' },
  'PROV-029': { text: 'Events and logs of providers hold codes and counts only: no argument, result, secret or provider text.' },
  'PROV-030': { text: 'Closing ends all connections and children; later calls are not sent.' },
  'PROV-031': { text: 'Connecting ahead of a call calls nothing and never rejects.' },
} as const satisfies Record<string, Requirement>;
