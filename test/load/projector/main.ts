import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { journalState } from '@agentstration/journal';
import { developmentToken } from '@agentstration/service-kit';
import { activeGeneration } from '@agentstration/store/read-model';
import { runBareLoop } from './bare-loop.ts';
import { type BenchServers, startBenchServers } from './bench-servers.ts';
import { generateJournal } from './generate-journal.ts';
import { measureExport } from './measure-export.ts';
import { measurePages, scope } from './measure-pages.ts';
import { ProjectorProcess, runCommand, waitForProjection } from './projector-process.ts';
import { type Target, describeTargets } from './targets.ts';

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '200' },
    results: { type: 'string', default: join(import.meta.dirname, '../../../bench/results.json') },
  },
});
const shape = { facts: 3 * Math.ceil(Number(values.facts) / 3), callsPerRun: 20 };
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

const servers = await startBenchServers();
try {
  const results = await run(servers);
  say(JSON.stringify(results, null, 2));
  await save(results);
  for (const line of describeTargets(targetsOf(results))) say(line);
} finally {
  await servers.stop();
}

async function run(all: BenchServers) {
  const { connection, directory } = all;
  say(`writing ${shape.facts} facts into the Journal`);
  await generateJournal(connection, shape, (facts) => facts % 500_000 < 2000 && say(`${facts} facts`));
  const { bytes } = await journalState(connection);
  say('bare loop');
  const bare = await runBareLoop(all, shape.facts);
  say(`${Math.round(bare)} per second`);
  const projector = await ProjectorProcess.start(all);
  const projected = await waitForProjection(all, shape.facts, say);
  await all.database.query(`ANALYZE`);
  const token = await developmentToken({
    dataDirectory: directory,
    tenant: scope.tenantId,
    workspaces: [scope.workspaceId],
    role: 'auditor',
  });
  const reader = { url: projector.url, token };
  say('pages');
  const pages = await measurePages(all, { ...reader, rounds: Number(values.rounds) });
  // Said at once: the rest takes as long again, and may fail.
  say(JSON.stringify(pages));
  say('export');
  const exported = await measureExport(all, reader);
  say(JSON.stringify(exported));
  const disk = await diskUse(all);
  say('rebuild');
  const rebuildSeconds = await runCommand(all, 'rebuild');
  say('verify');
  const verifySeconds = await runCommand(all, 'verify');
  await projector.stop();
  return {
    facts: shape.facts,
    journalBytesPerFact: round(bytes / shape.facts),
    projection: {
      perSecond: Math.round(projected),
      barePerSecond: Math.round(bare),
      ratio: round(projected / bare),
      peakMiB: Math.round(projector.peakMiB),
    },
    pages: {
      ...pages,
      toBareP50: round(pages.apiFirst.p50 / pages.bareFirst.p50),
      toBareP99: round(pages.apiFirst.p99 / pages.bareFirst.p99),
      differentToBareP50: round(pages.apiDifferent.p50 / pages.bareFirst.p50),
      differentToBareP99: round(pages.apiDifferent.p99 / pages.bareFirst.p99),
      lastToFirstP50: round(pages.apiLast.p50 / pages.apiFirst.p50),
      lastToFirstP99: round(pages.apiLast.p99 / pages.apiFirst.p99),
    },
    export: { ...exported, ratio: round(exported.apiPerSecond / exported.copyPerSecond) },
    diskBytesPerAttempt: disk,
    rebuildSeconds: round(rebuildSeconds, 1),
    verifySeconds: round(verifySeconds, 1),
  };
}

/** What the docs promise, as ratios of this run. */
function targetsOf({ projection, pages, export: exported }: Awaited<ReturnType<typeof run>>): Target[] {
  return [
    { name: 'projection / bare loop', measured: projection.ratio, promised: 0.5, atLeast: true },
    { name: 'memory of the projector, MiB', measured: projection.peakMiB, promised: 300, atLeast: false },
    { name: 'page / its bare query, p50', measured: pages.toBareP50, promised: 1.5, atLeast: false },
    { name: 'page / its bare query, p99', measured: pages.toBareP99, promised: 1.5, atLeast: false },
    { name: 'different pages / the bare query, p50', measured: pages.differentToBareP50, promised: 1.5, atLeast: false },
    { name: 'different pages / the bare query, p99', measured: pages.differentToBareP99, promised: 1.5, atLeast: false },
    { name: 'last page / first page, p50', measured: pages.lastToFirstP50, promised: 1.2, atLeast: false },
    { name: 'last page / first page, p99', measured: pages.lastToFirstP99, promised: 1.2, atLeast: false },
    { name: 'export / COPY of the same columns', measured: exported.ratio, promised: 0.5, atLeast: true },
  ];
}

/** Bytes per attempt in each table, indexes included. */
async function diskUse({ database }: BenchServers): Promise<Record<string, number>> {
  const generation = (await activeGeneration(database))!;
  const rows = await database.query<{ name: string; bytes: string }[]>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relnamespace = 'read_model'::regnamespace AND relkind = 'r' AND relname LIKE '%\\_${generation}' ORDER BY 2 DESC`,
  );
  const perAttempt = rows.map(
    ({ name, bytes }) => [name.replace(`_${generation}`, ''), Math.round(Number(bytes) / (shape.facts / 3))] as const,
  );
  return {
    total: perAttempt.reduce((sum, [, bytes]) => sum + bytes, 0),
    ...Object.fromEntries(perAttempt.filter(([, bytes]) => bytes > 0)),
  };
}

async function save(results: object): Promise<void> {
  const file = values.results;
  await mkdir(join(file, '..'), { recursive: true });
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object;
  await writeFile(file, `${JSON.stringify({ ...before, projector: { measuredAt: new Date().toISOString(), ...results } }, null, 2)}\n`);
}
