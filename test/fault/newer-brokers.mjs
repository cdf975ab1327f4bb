// Finds nats-server programs beyond the installed one, for the full form of the rig: those that NATS_BIN_* name, else the
// packages of later suites of the host's own Debian mirror. They are unpacked beside each other and not installed.
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const suites = ['trixie', 'sid'];
const network = { timeout: 180_000 };

/**
 * Environment variables `NATS_BIN_<version>` for what could be had, and what could not be. Nothing is fetched when the
 * environment already names brokers, or when they were fetched before.
 */
export async function newerBrokers(environment, cache) {
  if (Object.keys(environment).some((name) => name.startsWith('NATS_BIN_'))) return { found: {}, missing: [] };
  const found = {};
  const missing = [];
  const apt = await laterSuites().catch(() => undefined);
  for (const suite of suites) {
    try {
      const program = await brokerOf(suite, { apt, directory: join(cache, suite) });
      const { stdout } = await run(program, ['--version']);
      found[`NATS_BIN_${stdout.trim().replace(/^.*v/, '').replaceAll('.', '_')}`] = program;
    } catch {
      missing.push(`the nats-server of Debian ${suite}, which could neither be found nor fetched`);
    }
  }
  await apt?.remove();
  return { found, missing };
}

async function brokerOf(suite, { apt, directory }) {
  const program = join(directory, 'usr/sbin/nats-server');
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    if (!apt) throw new Error('There is no apt-get.');
    await apt.unpack(suite, directory);
  }
  return program;
}

/** An apt-get with sources and lists of its own: the host's are left as they are. */
async function laterSuites() {
  const targets = await run('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages']);
  const [, mirror] = /^[a-z]+ (\S+)$/m.exec(targets.stdout) ?? [];
  if (!mirror) throw new Error('No Debian mirror is configured.');
  const home = await mkdtemp(join(tmpdir(), 'agentstration-apt-'));
  await mkdir(join(home, 'lists/partial'), { recursive: true });
  await writeFile(join(home, 'sources.list'), suites.map((suite) => `deb ${mirror} ${suite} main\n`).join(''));
  const settings = [`Dir::Etc::sourcelist=${home}/sources.list`, 'Dir::Etc::sourceparts=-', `Dir::State::lists=${home}/lists`];
  const options = [...settings, `Dir::Cache=${home}/cache`, 'APT::Sandbox::User=root'].flatMap((setting) => ['-o', setting]);
  let lists;
  const unpack = async (suite, directory) => {
    lists ??= run('apt-get', [...options, 'update'], network);
    await lists;
    const place = await mkdtemp(join(home, `${suite}-`));
    await run('apt-get', [...options, 'download', `nats-server/${suite}`], { ...network, cwd: place });
    const [file] = (await readdir(place)).filter((name) => name.endsWith('.deb'));
    const unfinished = join(place, 'unpacked');
    await run('dpkg-deb', ['--extract', join(place, file), unfinished]);
    await mkdir(join(directory, '..'), { recursive: true });
    await run('cp', ['-r', unfinished, `${directory}.unfinished`]);
    await rename(`${directory}.unfinished`, directory);
  };
  return { unpack, remove: () => rm(home, { recursive: true, force: true }) };
}
