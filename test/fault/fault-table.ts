import type { FaultReport } from './fault-rig.ts';

/** The reports as a table for people: everything between `calls` and `recovered` must be 0. */
export function faultTable(reports: readonly FaultReport[]): string {
  const head = ['fault', 'requests', 'calls', 'ungoverned', 'lost', 'repeated', 'illegal', 'recovered after'];
  const rows = reports.map((report) => [
    report.fault,
    ...[report.requests, report.calls, report.ungoverned, report.lostOutcomes, report.unexpectedRepeats, report.illegalPaths].map(String),
    `${report.recoveredAfterMs} ms`,
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `\n${[head, ...rows].map(line).join('\n')}\n`;
}
