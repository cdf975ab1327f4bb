import type { Requirement } from '../requirements.ts';

/** The management API: governance as resources, tool providers and their discovery, runs. */
export const managementRequirements = {
  'RES-001': { text: 'A definition is judged at once: every fault has a JSON pointer, a code and a message that says what is allowed.' },
  'RES-002': {
    text: 'Limits of hook definitions are exactly those of the contract: the last allowed value passes, the next one does not.',
  },
  'RES-003': { text: 'Validation is total and pure: no input makes it throw, and what it accepts it accepts again unchanged.' },
  'RES-004': { text: 'Unknown properties and unknown handlers are refused at every level.' },
  'RES-005': {
    text: 'A manifest may carry what the server adds, so that get, edit, put works; a name or namespace other than the URL’s is 422.',
  },
  'RES-006': { text: 'Defaults are filled in: an absent or empty selector list is a wildcard, order is 0, a Tool is disabled.' },
} as const satisfies Record<string, Requirement>;
