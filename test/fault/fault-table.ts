import { type Invariant, invariants } from './evidence.ts';
import type { FaultReport } from './fault-rig.ts';
import { form } from './form.ts';
import { faultsOf } from './judge.ts';

/** What a healthy machine needs at most, from the healing of a fault on. Slower is told, and fails nothing: machines differ. */
const recoveryTargetMs = 15_000;

/** Whoever waits for a long run wants to see it go on. */
export function tellProgress({ fault, seed, calls, recoveredAfterMs, broken }: FaultReport): void {
  const faults = faultsOf(broken);
  const verdict = faults.length === 0 ? 'kept every promise' : faults.join('; ');
  if (form !== 'smoke')
    process.stderr.write(`${fault} (seed ${seed}): ${calls} calls, recovered after ${recoveredAfterMs} ms, ${verdict}\n`);
}

const counted = Object.keys(invariants) as Invariant[];
const head = ['fault', 'runs', 'requests', 'calls', ...Object.values(invariants), 'slowest recovery', 'seeds'];

/** The reports as a table for people, one row for each fault: everything between `calls` and `slowest recovery` must be 0. */
export function faultTable(reports: readonly FaultReport[]): string {
  const rows = [...Map.groupBy(reports, ({ fault }) => fault)].map(([fault, runs]) => [fault, ...cells(runs)]);
  const slow = reports.filter(({ recoveredAfterMs }) => recoveredAfterMs > recoveryTargetMs);
  const notes = slow.map(
    ({ fault, seed, recoveredAfterMs }) => `Slower than ${recoveryTargetMs} ms: ${fault}, seed ${seed}: ${recoveredAfterMs} ms.\n`,
  );
  return `\n${toTable([head, ...rows, ['all', ...cells(reports)]])}\n${notes.join('')}`;
}

/** Columns as wide as they must be. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells(runs: readonly FaultReport[]): string[] {
  const sum = (count: (report: FaultReport) => number): string => String(runs.reduce((total, report) => total + count(report), 0));
  return [
    String(runs.length),
    sum(({ requests }) => requests),
    sum(({ calls }) => calls),
    ...counted.map((invariant) => sum(({ broken }) => broken[invariant].length)),
    `${Math.max(0, ...runs.map(({ recoveredAfterMs }) => recoveredAfterMs))} ms`,
    [...new Set(runs.map(({ seed }) => seed))].join(' '),
  ];
}
