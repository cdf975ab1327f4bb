import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exists, placeOnce, stateDirectory } from '../state-directory.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

const run = promisify(execFile);

interface NewCluster {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly password: string;
  /** Whether the files must be on the disk when this returns. */
  readonly durable: boolean;
}

/** The password of a data directory, made when it is first asked for; nobody but the starting user can read it. */
export async function passwordIn(directory: string): Promise<string> {
  const file = join(directory, 'password');
  if (!(await exists(file))) {
    await placeOnce(file, (unfinished) => writeFile(unfinished, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true }));
  }
  return readFile(file, 'utf8');
}

/** Initialises a cluster at `cluster`, whole or not at all. Text sorts by code point, whatever the host's locale is. */
export async function createCluster(cluster: string, { binaries, account, password, durable }: NewCluster): Promise<void> {
  await placeOnce(cluster, async (unfinished) => {
    const passwordFile = `${unfinished}.password`;
    try {
      await mkdir(unfinished, { mode: 0o700 });
      await writeFile(passwordFile, password, { mode: 0o600 });
      if (account) await Promise.all([unfinished, passwordFile].map((path) => chown(path, account.uid, account.gid)));
      const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
      const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
      await run(binaries.initdb, [`--pgdata=${unfinished}`, ...access, ...locale, ...(durable ? [] : ['--no-sync'])], {
        cwd: '/',
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
        ...account,
      });
    } finally {
      await rm(passwordFile, { force: true });
    }
  });
}

/** A cluster for a test: a copy of a template that the first one on this machine makes. */
export async function copyTemplate(cluster: string, { binaries, account }: Pick<NewCluster, 'binaries' | 'account'>): Promise<string> {
  const template = join(stateDirectory(), `postgresql-template-${binaries.version}-${account?.uid ?? 'own'}`);
  await mkdir(template, { recursive: true, mode: 0o711 });
  const password = await passwordIn(template);
  await createCluster(join(template, 'cluster'), { binaries, account, password, durable: false });
  await mkdir(cluster, { mode: 0o700 });
  if (account) await chown(cluster, account.uid, account.gid);
  await run('cp', ['-R', `${template}/cluster/.`, cluster], { cwd: '/', ...account });
  return password;
}
