import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, startManagement } from './management-rig.ts';

let rig: ManagementRig;
beforeAll(async () => void (rig = await startManagement()), 240_000);
afterAll(() => rig?.stop());

const page = join(import.meta.dirname, '../../docs/how-to/manage-hooks.md');

interface Step {
  readonly commands: string;
  readonly answer: string | undefined;
}

/** Every `sh` block, with the `answer` block that follows it. */
function stepsOf(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/^```(\S+)( answer)?\n(.*?)^```$/gms)].map(([, language, answer, text = '']) => ({
    language,
    answer,
    text,
  }));
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ commands: text, answer: next?.answer ? next.text : undefined }];
  });
}

/** Where the page writes `…`, anything may stand within the line. */
function toPattern(answer: string): RegExp {
  const parts = answer.trimEnd().split('…');
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`);
}

/** Runs the page in one shell, as a reader would, and answers what each step printed. */
async function run(steps: readonly Step[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'how-to-'));
  const mark = '--- next step ---';
  // The standalone host and its token are this test's service and its token; nothing else is.
  const prelude = `set -euo pipefail\nnpm() { printf '%s' "$RIG_TOKEN"; }\n`;
  const script = steps.map(({ commands }) => `${commands.replace('http://127.0.0.1:5100', '$RIG_URL')}\necho '${mark}'\n`).join('');
  try {
    await writeFile(join(directory, 'page.sh'), prelude + script);
    const environment = { ...process.env, RIG_TOKEN: await rig.token(), RIG_URL: rig.url };
    const { stdout, stderr } = await promisify(execFile)('bash', ['page.sh'], { cwd: directory, env: environment });
    expect(stderr).toBe('');
    return stdout.split(`${mark}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe('docs/how-to/manage-hooks.md', () => {
  it(verifies('API-006', 'works word for word'), async () => {
    const steps = stepsOf(await readFile(page, 'utf8'));
    expect(steps.length).toBeGreaterThan(8);
    const printed = await run(steps);
    for (const [index, { answer = '' }] of steps.entries()) expect(printed[index]?.trimEnd()).toMatch(toPattern(answer));
  });
});
