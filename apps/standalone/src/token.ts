import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { patterns } from '@agentstration/contracts';
import { type Role, developmentToken, readGivenConfiguration, roles } from '@agentstration/service-kit';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readHostFile } from './host-file.ts';

interface Asked {
  readonly tenant: string;
  readonly workspace: readonly string[];
  readonly role: Role;
  readonly principal?: string;
}

const defaultWorkspaces = ['demo'];

const matching = (pattern: string) => (text: string) => {
  if (new RegExp(pattern).test(text)) return text;
  throw new InvalidArgumentError(`It must match ${pattern}.`);
};
const scopeId = matching(patterns.scopeId);
const collect = (text: string, before: readonly string[]) => [...(before === defaultWorkspaces ? [] : before), scopeId(text)];

const program = new Command('npm run --silent token --')
  .description('Prints a token that the host on this machine accepts while it runs in Development mode.')
  .option('--tenant <id>', 'tenant', scopeId, 'local')
  .option('--workspace <id>', 'workspace; give it again for more than one', collect, defaultWorkspaces)
  .addOption(new Option('--role <name>', 'role').choices(Object.keys(roles)).default('admin'))
  .option('--principal <id>', 'who the token is for', matching(patterns.id))
  .action(printToken);

/** A token is of use where its key is: a person may have started the host elsewhere. */
const noHost = (dataDirectory: string): string =>
  `No host runs on ${dataDirectory}: only one that starts there accepts this token (AGENTSTRATION_DATA names another folder).\n`;

await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'The token could not be made.'}\n`);
  process.exitCode = 1;
});

async function printToken({ tenant, workspace, role, principal }: Asked): Promise<void> {
  const given = readGivenConfiguration();
  if (given.Authentication?.Mode === 'Jwt') {
    throw new Error('Agentstration:Authentication:Mode is Jwt: tokens come from your issuer. Development tokens are not accepted then.');
  }
  const dataDirectory = resolve(given.DataDirectory ?? '.agentstration');
  // As the host makes it: a database that runs as its own user must pass through.
  await mkdir(dataDirectory, { recursive: true, mode: 0o711 });
  const token = await developmentToken({ dataDirectory, tenant, workspaces: workspace, role, ...(principal && { principal }) });
  if (!(await readHostFile(dataDirectory))) process.stderr.write(noHost(dataDirectory));
  process.stdout.write(`${token}\n`);
}
