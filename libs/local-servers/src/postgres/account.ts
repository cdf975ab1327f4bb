import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StartRefused } from '../start-refused.ts';

const run = promisify(execFile);

/** The system user a database runs as; undefined means: as this process. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

const name = 'postgres';

/** PostgreSQL refuses to run as root. Root starts it as the owner of the cluster or, for a new one, as `postgres` (created when missing). */
export async function accountFor(cluster: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await systemAccount()) ?? (await createSystemAccount());
}

async function systemAccount(): Promise<Account> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)));
    return { uid: uid as number, gid: gid as number };
  } catch {
    return undefined;
  }
}

async function createSystemAccount(): Promise<Account> {
  const created = await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name]).catch(
    (error: Error) => error,
  );
  // Another process may have created it a moment ago.
  const account = await systemAccount();
  if (account) return account;
  const reason = created instanceof Error ? created.message.trim() : 'it is not there after useradd';
  throw new StartRefused(
    `PostgreSQL does not run as root, and the system user "${name}" cannot be created (${reason}). Create it, or start as another user.`,
  );
}

/** Runs a command as the account, in a folder that everyone can enter. Answers whether it succeeded. */
export async function succeedsAs(account: Account, script: string, ...paths: string[]): Promise<boolean> {
  return run('/bin/sh', ['-c', script, 'sh', ...paths], { cwd: '/', ...account }).then(
    () => true,
    () => false,
  );
}
