import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '@agentstration/contracts';

const folder = join(import.meta.dirname, '../../deploy/nats');
const read = (name: string) => readFile(join(folder, name), 'utf8');

/** Every user's password in {@link deliveredAccounts}. */
export const accountPassword = 'secret';

/** `deploy/nats/accounts.conf` for a test's broker, with an account for each Workspace, made as its file says. */
export async function deliveredAccounts(...workspaces: readonly Scope[]): Promise<string> {
  const demo = await read('workspaces/acme.demo.conf');
  const files = workspaces.map(({ tenantId, workspaceId }) =>
    demo
      .replaceAll('acme', tenantId)
      .replaceAll('ACME', tenantId.toUpperCase())
      .replaceAll('demo', workspaceId)
      .replaceAll('DEMO', workspaceId.toUpperCase()),
  );
  const text = (await read('accounts.conf')).replace('include "workspaces/acme.demo.conf"', files.join('\n'));
  const names = new Set([...text.matchAll(/\$(AGENTSTRATION_NATS_PASSWORD_\w+)/g)].map(([, name]) => name));
  return [...[...names].map((name) => `${name}: "${accountPassword}"`), text].join('\n');
}
