// Runs one command of the repository on the pinned Node, after building what changed. Started by scripts/enter.mjs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allProjects, build, root } from './build.mjs';

/** What the standalone host, the demo and the token command run is compiled; Jest and the checks read the sources. */
const commands = {
  demo: () => enterModule('apps/standalone/dist/demo/main.js'),
  start: () => enterModule('apps/standalone/dist/main.js'),
  token: () => enterModule('apps/standalone/dist/token.js'),
  projector: () => enterModule('apps/standalone/dist/projector.js'),
  test: async () => {
    await provideNatsServer();
    await enterModule('node_modules/jest/bin/jest.js');
  },
  'test-fault': async () => {
    await provideNatsServer();
    chooseFaultForm();
    if (process.env.AGENTSTRATION_FAULT_FORM === 'full') await provideNewerBrokers();
    await enterModule('node_modules/jest/bin/jest.js');
  },
  bench: async () => {
    await provideNatsServer();
    const names = given.length > 0 ? [given.shift()] : ['projector', 'management'];
    for (const name of names) await runToEnd(`test/load/${name}/main.ts`);
  },
  check: async () => {
    const { check } = await import('./check.mjs');
    process.exitCode = (await check()) ? 0 : 1;
  },
};

endWithStarter();
const [command, ...given] = process.argv.slice(2);
const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
if (run) {
  await build(await allProjects());
  await run();
} else {
  process.stderr.write(`There is no command "${command}". Known: ${Object.keys(commands).join(', ')}.\n`);
  process.exitCode = 2;
}

/** Runs a program in this process, as if Node had been started with it. */
async function enterModule(path) {
  const file = join(root, path);
  if (!existsSync(file)) throw new Error(`${path} is missing: the command "${command}" has nothing to run.`);
  process.argv = [process.argv[0], file, ...given];
  await import(pathToFileURL(file).href);
}

/** Runs a program in a process of its own: measurements do not share their memory. Stops at the first that fails. */
async function runToEnd(path) {
  const file = join(root, path);
  if (!existsSync(file)) throw new Error(`${path} is missing: the command "${command}" has nothing to run.`);
  const child = spawn(process.execPath, [file, ...given], { stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) process.exit(code ?? 1);
}

/** Tests start NATS servers in many processes: the program is found, or installed, once. */
async function provideNatsServer() {
  const { findNatsServer, natsServerSetting } = await import('../libs/local-servers/dist/index.js');
  try {
    process.env[natsServerSetting] = await findNatsServer({ onInstall: (what) => process.stderr.write(`Fetching ${what} …\n`) });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** The full form breaks newer brokers, too; what could not be had is told in its report. */
async function provideNewerBrokers() {
  const { newerBrokers } = await import('../test/fault/newer-brokers.mjs');
  process.stderr.write('Looking for newer NATS servers …\n');
  const { found, missing } = await newerBrokers(process.env, join(root, 'node_modules/.cache/agentstration-brokers'));
  Object.assign(process.env, found, { AGENTSTRATION_BROKERS_MISSING: missing.join('; ') });
}

/** `--full`, or `--soak 30m` (s, m, h); what else is given goes to Jest. The tests learn of it by their environment. */
function chooseFaultForm() {
  const [option, length = ''] = given;
  const soak = /^(\d+)([smh])$/.exec(length);
  if (option === '--full') process.env.AGENTSTRATION_FAULT_FORM = given.shift().slice(2);
  if (option === '--soak') {
    if (!soak) throw new Error('--soak needs a length such as 30m.');
    process.env.AGENTSTRATION_FAULT_FORM = 'soak';
    process.env.AGENTSTRATION_SOAK_MS = String(Number(soak[1]) * { s: 1_000, m: 60_000, h: 3_600_000 }[soak[2]]);
    given.splice(0, 2);
  }
  process.env.AGENTSTRATION_SEED ??= String(Math.floor(Math.random() * 1_000_000));
  given.unshift('test/fault', '--runInBand', '--verbose');
}

/** Whoever started this command is gone, killed perhaps: end as on SIGTERM, and without fail. */
function endWithStarter() {
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 15_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}
