import type { FaultReport } from './fault-rig.ts';
import { form } from './form.ts';

/** Whoever waits for a long run wants to see it go on. */
export function tellProgress({ fault, seed, calls, recoveredAfterMs, faults }: FaultReport): void {
  const verdict = faults.length === 0 ? 'kept every promise' : faults.join('; ');
  if (form !== 'smoke')
    process.stderr.write(`${fault} (seed ${seed}): ${calls} calls, recovered after ${recoveredAfterMs} ms, ${verdict}\n`);
}

const head = ['fault', 'runs', 'requests', 'calls', 'ungoverned', 'lost', 'repeated', 'illegal', 'slowest recovery', 'seeds'];

/** The reports as a table for people, one row for each fault: everything between `calls` and `slowest recovery` must be 0. */
export function faultTable(reports: readonly FaultReport[]): string {
  const rows = [...Map.groupBy(reports, ({ fault }) => fault)].map(([fault, runs]) => [fault, ...cells(runs)]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `\n${[head, ...rows].map(line).join('\n')}\n`;
}

function cells(runs: readonly FaultReport[]): string[] {
  const sum = (count: (report: FaultReport) => number): string => String(runs.reduce((total, report) => total + count(report), 0));
  return [
    String(runs.length),
    sum(({ requests }) => requests),
    sum(({ calls }) => calls),
    sum(({ ungoverned }) => ungoverned),
    sum(({ lostOutcomes }) => lostOutcomes),
    sum(({ unexpectedRepeats }) => unexpectedRepeats),
    sum(({ illegalPaths }) => illegalPaths),
    `${Math.max(...runs.map(({ recoveredAfterMs }) => recoveredAfterMs))} ms`,
    runs.map(({ seed }) => seed).join(' '),
  ];
}
