import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareHttp } from './compare-http.ts';
import { compareResolution } from './compare-resolution.ts';
import { startBenchServers } from './bench-servers.ts';
import { hooks, seed } from './seed.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '3000' },
    only: { type: 'string', default: '' },
  },
});
const options = { rounds: Number(values.rounds), calls: Number(values.calls) };

const servers = await startBenchServers();
try {
  await seed(servers.databaseUrl);
  const only = values.only === '' ? undefined : values.only.split(',');
  const results = { ...(await compareHttp(servers, options, only)), ...(await compareResolution(servers, options, only)) };
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  if (!only) await save({ measuredAt: new Date().toISOString(), hooks, inFlight: 20, ...options, ...results });
} finally {
  await servers.stop();
}

async function save(results: object): Promise<void> {
  const file = join(import.meta.dirname, '../../../bench/results.json');
  await mkdir(join(file, '..'), { recursive: true });
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object;
  await writeFile(file, `${JSON.stringify({ ...before, management: results }, null, 2)}\n`);
}
