import type { Requirement } from '../requirements.ts';

/** The standalone host, its commands, and the servers that it brings along. */
export const standaloneRequirements = {
  'HOST-001': {
    text: 'npm start prints `agentstration ready http=<url> nats=<url>` once everything is ready, and nothing like it before.',
  },
  'HOST-002': { text: 'Data survives a restart of the host: resources, and tokens that were printed before.' },
  'HOST-003': { text: 'npm run token prints a token on standard output that the host accepts, whether or not the host runs.' },
  'HOST-004': { text: 'A default port that is in use is exchanged for another one; port 0 takes a free one.' },
  'HOST-005': { text: 'A chosen port that is in use is refused with a message that names the port and the setting.' },
  'HOST-006': { text: 'PostgreSQL and NATS servers that the configuration names are used, and none are started.' },
  'HOST-007': {
    text: 'SIGTERM and SIGINT drain the host, and it leaves no process behind; a killed one does not either, and starts again.',
  },
  'HOST-008': { text: 'A second host on the same data directory is refused with a message that names the directory and the process.' },
  'HOST-009': { text: 'Without a NATS server, and with none to install, one message says what to install, how, and the setting.' },
  'HOST-010': { text: 'AGENTSTRATION_DATA moves the data, also to a folder that only root can enter.' },
  'HOST-011': { text: 'A server of the host that ends by itself is started again with its data.' },
  'HOST-013': { text: 'npm run projector works on the running host without being told where its servers are.' },
  'HOST-014': { text: 'A Journal of the host’s own that is gone is refused at start, never made anew in silence.' },
  'HOST-015': { text: 'A host that cannot start says in one line what is missing, where, and by which setting; it does not wait in vain.' },
  'HOST-016': { text: 'npm run token says when no host runs on the folder whose key signs the token.' },
  'HOST-017': { text: 'A read model that another version of the product made is made anew at start: no command is needed before it.' },
  'HOST-012': {
    text: 'npm run bench measures and writes bench/results.json.',
  },
} as const satisfies Record<string, Requirement>;
