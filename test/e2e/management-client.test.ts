import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, startManagement } from './management-rig.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/how-to/use-a-typed-client.md');
const execute = promisify(execFile);

let rig: ManagementRig;
let directory: string;
let program: string;
let answer: string;

/** Compiles the reader's program, with the generated client beside it, under every strict rule. */
async function compile(source: string): Promise<string> {
  await writeFile(join(directory, 'program.ts'), source);
  const rules = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = execute(process.execPath, [tsc, ...rules, '--outDir', 'built', 'program.ts'], { cwd: directory });
  return compiled.then(
    () => 'compiled',
    (error: { stdout: string }) => error.stdout,
  );
}

beforeAll(async () => {
  rig = await startManagement();
  directory = await mkdtemp(join(tmpdir(), 'typed-client-'));
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```\S+.*?\n(.*?)^```$/gms)].map(([, text = '']) => text);
  const [generate = '', ...rest] = blocks;
  [program = '', answer = ''] = rest;
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  // The generator of this repository instead of one that npx would fetch; the address is this test's service.
  const [, ...given] = generate.trim().replace('http://127.0.0.1:5100', rig.url).replace('npx ', '').split(' ');
  await execute(join(root, 'node_modules/.bin/openapi-ts'), [...given, '--silent', '--no-log-file'], { cwd: directory });
}, 240_000);
afterAll(async () => {
  await rig?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

describe('docs/how-to/use-a-typed-client.md', () => {
  it(
    verifies('API-007', 'a client made from the document type-checks, and does all of this against the service'),
    async () => {
      expect(await compile(program)).toBe('compiled');
      const environment = { ...process.env, API: rig.url, TOKEN: await rig.token() };
      const { stdout, stderr } = await execute(process.execPath, ['built/program.js'], { cwd: directory, env: environment });
      expect([stdout, stderr]).toEqual([answer, '']);
    },
    240_000,
  );

  it(
    verifies('API-007', 'what the API would refuse stops the build'),
    async () => {
      const wrong = [
        "api.createToolExecutionHook({ body: { ...manifest, definition: { ...manifest.definition, handler: 'script' } } });",
        "api.createToolExecutionHook({ body: { ...manifest, definition: { ...manifest.definition, order: '1' } } });",
        'api.createToolExecutionHook({ body: { ...manifest, definition: { ...manifest.definition, displayname: 1 } } });',
        'api.listToolExecutionHook({ query: { limits: 10 } });',
        "api.getRun({ path: { ownerKind: 'job', runId: 'x' } });",
        "api.createRun({ body: { agentId: 'a', toolCalls: [{ arguments: {} }] } });",
      ];
      // The compiler complains of each that has no fault.
      const expected = wrong.map((statement) => `// @ts-expect-error\n${statement}\n`);
      expect(await compile([program, ...expected].join('\n'))).toBe('compiled');
      expect(await compile(program.replace('order: 10', "order: '10'"))).toMatch(/^program\.ts\(\d+,\d+\): error/);
    },
    240_000,
  );
});
