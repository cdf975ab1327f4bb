import type { Requirement } from '../requirements.ts';

/** The house itself, the names and encodings of the wire, and how the product is installed. */
export const houseRequirements = {
  'HOUSE-001': { text: 'A forbidden import between projects fails lint, and the rule is known to have run.' },
  'HOUSE-002': { text: 'Every requirement that is not deferred has a test that cites it; no test cites an unknown or a deferred one.' },
  'HOUSE-003': { text: 'Every error code and problem code is documented with its meaning and what to do, and no other.' },
  'HOUSE-004': { text: 'The AsyncAPI document describes exactly the subjects and message schemas of the code.' },
  'HOUSE-005': { text: 'The documentation has no broken link to a file of the repository.' },
  'WIRE-001': {
    text: 'Tenant and Workspace ids, run, call, request, principal and agent ids are accepted and refused as their grammars say.',
  },
  'WIRE-002': {
    text: 'A subject token is its id with every byte outside [A-Za-z0-9_-] percent-encoded in upper-case hex: one canonical form.',
  },
  'WIRE-003': { text: 'The subjects are those of the contract, and what they say is read back exactly.' },
  'WIRE-004': {
    text: 'JSON that users send is read strictly: UTF-8, no lone surrogates, no duplicate keys, 64 levels, no number that changes as a double.',
  },
  'WIRE-005': { text: 'A refusal of strict JSON names the place, and no text exhausts stack or time.' },
  'WIRE-006': { text: 'A request body is refused for unknown, missing and wrong properties with the pointer of every fault and no value.' },
  'WIRE-007': { text: 'A body that carries tenantId or workspaceId is malformed.' },
  'WIRE-008': { text: 'A malformed request still yields the identities that it names validly, and none that it does not.' },
  'WIRE-009': { text: 'What is told of a malformed request holds no arguments, not even their names, and is of bounded size.' },
  'WIRE-010': { text: 'A fact with added fields is still read; an unknown type or version is refused by its name.' },
  'WIRE-011': { text: 'Tool and provider ids are the name in namespace default, else namespace/name; comparison is exact.' },
  'WIRE-012': { text: 'A check that fails always names at least one fault.' },
  'WIRE-013': { text: 'Results, cancellations and dead letters have published JSON Schemas, and are what these say.' },
  'DEPLOY-001': { text: 'The chart installs the three services and the provisioning of streams and schema; Helm lints and renders it.' },
  'DEPLOY-002': { text: 'The containers run without root, without privileges, on a read-only root file system.' },
  'DEPLOY-003': { text: 'Secrets stand in the chart and the compose file by reference only.' },
  'DEPLOY-004': { text: 'Wrong chart values are refused with a message that names them.' },
  'DEPLOY-005': { text: 'Every key of the rendered configuration is known to the services.' },
  'DEPLOY-006': { text: 'An ingress joins /api/tool-governance and the rest of /api under one origin.' },
  'DEPLOY-007': { text: 'A pod is given longer to end than its executor needs to drain.' },
  'DEPLOY-008': { text: 'Migration, API, executor and projector use separate database URLs.' },
  'DEPLOY-010': {
    text: 'As the compose file starts them, with the users it gives them, the services become ready, work, and end in good order.',
  },
  'DEPLOY-009': { text: 'The image and the compose file name only files and commands that exist.' },
} as const satisfies Record<string, Requirement>;
