/** A governance record, as far as the demo shows it. */
export interface TraceRecord {
  readonly toolCallId: string;
  readonly toolId: string;
  readonly attempt: number;
  readonly decision: string;
  readonly outcome: string | null;
  readonly invocationId: string;
  readonly evaluations: readonly { readonly hook: { readonly id: string }; readonly code?: string }[];
}

/** The trace of a run as a table that explains itself. */
export function printTrace(records: readonly TraceRecord[]): void {
  const rows = records.map((record) => [
    record.toolCallId,
    record.toolId,
    String(record.attempt),
    record.decision,
    record.evaluations.map(({ hook, code }) => `${hook.id}${code === undefined ? '' : ` (${code})`}`).join(', ') || 'no hook matched',
    record.outcome ?? 'running',
    record.invocationId,
  ]);
  printTable(['tool call', 'tool', 'attempt', 'decision', 'because of', 'outcome', 'invocation'], rows);
}

/** Columns as wide as their widest cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const rule = widths.map((width) => '─'.repeat(width));
  process.stdout.write([line(head), line(rule), ...rows.map(line)].map((text) => `  ${text.trimEnd()}\n`).join(''));
}
