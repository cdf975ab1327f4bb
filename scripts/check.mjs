// Everything about the sources that a machine can judge without running them: `npm run check`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './build.mjs';

const steps = [
  { name: 'lint and types', run: () => execute('nx', ['run-many', '-t', 'lint', 'typecheck', '--parallel=2', '--outputStyle=static']) },
  { name: 'scripts', run: () => execute('eslint', ['--max-warnings', '0', 'scripts', '*.mjs']) },
  { name: 'formatting', run: () => execute('prettier', ['--check', '--log-level=warn', '.']) },
  { name: 'dead code', run: () => execute('knip', ['--no-progress', '--no-config-hints']) },
];

/** Runs every step, also after one has failed, and answers whether all passed. */
export async function check() {
  let passed = true;
  for (const { name, run } of steps) {
    const started = Date.now();
    const problem = await run();
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${problem ? 'FAILED' : 'passed'}  ${name} (${seconds} s)${problem ? `: ${problem}` : ''}\n`);
    passed &&= !problem;
  }
  return passed;
}

/** Without a project graph the boundary rule says so once, checks nothing and passes. */
const skipped = 'No cached ProjectGraph is available';

/** Answers what is wrong, or nothing. What a passing program says is of no interest. */
function execute(program, args) {
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', program), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      const problem = code !== 0 ? `exit code ${code}` : output.includes(skipped) ? 'the boundary rule did not run' : undefined;
      if (problem) process.stdout.write(output);
      resolve(problem);
    });
  });
}
