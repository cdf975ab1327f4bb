// The way in: `node scripts/enter.mjs <command> [arguments]`, on the host's Node (20 or newer), from a bare checkout.
// Installs what the lock file says when that is missing, then hands over to scripts/run.mjs on the pinned Node.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'package-lock.json');
const stampFile = join(root, 'node_modules/.installed-lock');

const oldestNode = 20;
/** Node 24 is pinned as a package, whatever the host has; its install script may have been forbidden. */
const pinnedNode = join(root, 'node_modules/.bin/node');

/** Jest runs the sources as ECMAScript modules; its workers inherit these. */
const jestOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const nodeOptions = { test: jestOptions, 'test-fault': jestOptions };

const [command, ...given] = process.argv.slice(2);

assertHostNode();
installIfNeeded();
handOver();

function assertHostNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return;
  fail(
    `This repository needs Node.js ${oldestNode} or newer to start with; this is ${process.version}. See https://nodejs.org/en/download`,
  );
}

/** Says things where they cannot be taken for a command's output: `npm run token` prints a token. */
function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function installIfNeeded() {
  const wanted = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (installed === wanted) return;
  if (!isInstalled()) install();
  writeFileSync(stampFile, wanted);
}

/** Whether somebody else's `npm install` has brought everything already: npm leaves a list of what it installed. */
function isInstalled() {
  const list = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(list)) return false;
  const packagesIn = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const there = packagesIn(list);
  return Object.entries(packagesIn(lockFile)).every(
    ([path, { version, optional, link }]) =>
      !path.startsWith('node_modules/') || optional || (there[path] && (link || there[path].version === version)),
  );
}

function install() {
  say('Installing dependencies (npm ci) …');
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  // Development dependencies too, also where NODE_ENV=production: one of them is the Node that everything runs on.
  const [program, ...args] = [...npm, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const started = Date.now();
  // Its own summary goes where ours goes.
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) fail(`npm could not be started (${error.message}).`);
  if (status !== 0) fail(`npm ci failed with exit code ${status}; its messages are above.`);
  say(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

function handOver() {
  const node = existsSync(pinnedNode) ? pinnedNode : process.execPath;
  // In a session of its own, so that a terminal's Ctrl-C reaches it once, from here; the channel tells it when this process dies.
  const child = spawn(node, [...(nodeOptions[command] ?? []), join(root, 'scripts/run.mjs'), command ?? '', ...given], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  child.once('error', (error) => fail(`${node} could not be started (${error.message}).`));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  if (process.env.npm_lifecycle_event) whenOrphaned(() => forward('SIGTERM'));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** A killed npm tells nobody. Whoever starts this file without npm may leave it running. */
function whenOrphaned(then) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    then();
  }, 500);
}
