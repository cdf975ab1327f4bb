import type { Requirement } from '../requirements.ts';

/** What PostgreSQL keeps: resources and their generations, runs, the outbox, and what an attempt is governed by. */
export const storeRequirements = {
  'STORE-001': {
    text: 'Migrations build the schema from nothing, are a no-op when done, and run once when several services start at once.',
  },
  'STORE-002': { text: 'A database that is not UTF8, or whose user may not do what is needed, is refused with what to do.' },
  'STORE-003': { text: 'A query that leaves out the workspace sees no row of another one, and none at all without a workspace.' },
  'STORE-004': { text: 'No row can be written into another workspace, for the owner of the tables neither.' },
  'STORE-005': { text: 'Each service has a role with the least grants, also where its login user could do more.' },
  'STORE-006': { text: 'The scope of a transaction never reaches the next borrower of its connection.' },
  'STORE-007': { text: 'A production user that is a member of a service’s role needs nothing else, and another role it cannot take.' },
  'STORE-010': {
    text: 'A generation never goes back or repeats for a name: not over delete and re-create, not under 50 parallel writers.',
  },
  'STORE-011': { text: 'Of 50 parallel writers that saw the same resource exactly one wins; the others learn of the conflict.' },
  'STORE-012': { text: 'Every generation stays readable after delete, with who changed it and when, and where it was deleted.' },
  'STORE-013': { text: 'A write of what stands there already moves neither generation nor revision.' },
  'STORE-014': {
    text: 'Labels, annotations and status move the revision and not the generation; equal revisions are equal representations.',
  },
  'STORE-015': {
    text: 'Names are exact and case-sensitive and sort by code unit; a page continues where the last one ended, under writes too.',
  },
  'STORE-016': { text: 'Label selectors choose by equality, set membership and existence, as in Kubernetes.' },
  'STORE-017': { text: 'Any JSON comes back as it was given: U+0000, characters beyond the basic plane, any key.' },
  'STORE-018': { text: 'A change by hand obeys the laws of generations and history as well, and a row cannot be lost.' },
  'STORE-020': { text: 'Discovery counts new, changed, unchanged and unavailable Tools, and keeps the administrator’s settings.' },
  'STORE-021': { text: 'A vanished Tool becomes unavailable, a returned one available again; none is ever deleted.' },
  'STORE-022': { text: 'An answer of a provider that was deleted or made anew meanwhile changes nothing.' },
  'STORE-023': { text: 'Discovered names are legal, unique and stable, whatever a provider calls its tools and in whatever order.' },
  'STORE-024': { text: 'A collision of names that remains is refused and reported.' },
  'STORE-030': { text: 'An attempt is resolved in one snapshot: its Tool, provider, Run and hooks are of one moment.' },
  'STORE-031': { text: 'Resolution returns every enabled hook that matches and every row known to be invalid, and no other workspace’s.' },
  'STORE-032': { text: 'A hook row that was written by hand is found like any other, and an invalid one wherever it points.' },
  'STORE-033': { text: 'Resolution among 10 000 hooks reads indexes alone, with and without statistics.' },
  'STORE-034': {
    text: 'Attempts, and reads of resources, share a query only if it starts after each of them arrived, and each gets its own.',
  },
  'STORE-035': { text: 'Once a write has answered, every resolution that starts later sees it.' },
  'STORE-036': { text: 'A Tool id that is not the canonical one finds no Tool: it is refused, never guessed.' },
  'STORE-037': { text: 'A Tool whose provider was deleted is unavailable.' },
  'STORE-038': { text: 'The store’s placing of hooks agrees with the domain’s validation and selectors on any definition.' },
  'STORE-040': { text: 'A Run and its messages are one transaction: both are there, or neither.' },
  'STORE-041': { text: 'A Run’s execution options never change; a cancellation is written once.' },
  'STORE-042': { text: 'A dispatcher that dies loses no message: its lease ends, and the message is handed out again under its fixed id.' },
  'STORE-043': { text: 'Two dispatchers never hold the same message; the facts of a subject are handed out in order, one at a time.' },
  'STORE-044': { text: 'The payload of a message is removed once it was sent.' },
  'STORE-050': { text: 'A database that is down, full or slow is StoreUnavailable, at first use and in the middle, and heals by itself.' },
  'STORE-051': { text: 'A backend killed in a transaction or a query costs no connection: the pool’s counters return to idle.' },
  'STORE-052': { text: 'No error of the store holds a statement, a value or a password.' },
} as const satisfies Record<string, Requirement>;
