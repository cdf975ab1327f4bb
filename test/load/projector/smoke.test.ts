import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { verifies } from '../../support/verifies.ts';

it(
  verifies('HOST-012', 'the bench of the projector runs to its end, and writes what it measured beside what was there'),
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bench-smoke-'));
    try {
      const results = join(directory, 'results.json');
      const main = join(import.meta.dirname, 'main.ts');
      const child = spawn(process.execPath, [main, '--facts', '3000', '--rounds', '1', '--results', results]);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, output]).toEqual([0, expect.stringContaining('read model equals the journal up to sequence 3000')]);
      // No number is expected: a test is no place to measure.
      expect(output.match(/^(met|MISSED) +\S/gm)).toHaveLength(9);
      const { projector } = JSON.parse(await readFile(results, 'utf8')) as { projector: Record<string, unknown> };
      expect(projector).toMatchObject({ facts: 3000, export: { records: 600 } });
      expect(Object.keys(projector)).toEqual(
        expect.arrayContaining(['projection', 'pages', 'diskBytesPerAttempt', 'rebuildSeconds', 'verifySeconds']),
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  180_000,
);
