import { resolve } from 'node:path';
import { runOperatorCommand } from '@agentstration/governance-projector/operator-commands';
import { readGivenConfiguration } from '@agentstration/service-kit';
import { readHostFile } from './host-file.ts';

// The projector's commands on this machine: on the database that the configuration names, else on the running host's.
const { Database, DataDirectory } = readGivenConfiguration();
if (Database?.Url === undefined && Database?.UrlFile === undefined) {
  const host = await readHostFile(resolve(DataDirectory ?? '.agentstration'));
  if (host) process.env = { ...host, ...process.env };
}
await runOperatorCommand();
