import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorCodes, errorTypes, problems } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';

/** The cells of each row of the table below a heading. */
function rowsBelow(page: string, heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const named = (rows: string[][]): string[] => rows.map(([code = '']) => code.replaceAll('`', '')).sort();

describe('docs/reference/codes.md', () => {
  let page: string;

  beforeAll(async () => {
    page = await readFile(join(import.meta.dirname, '../../docs/reference/codes.md'), 'utf8');
  });

  it(verifies('HOUSE-003', 'explains exactly the error codes of tool calls'), () => {
    expect(named(rowsBelow(page, 'Failures of tool calls'))).toEqual([...errorCodes].sort());
  });

  it(verifies('HOUSE-003', 'explains exactly the error types'), () => {
    expect(named(rowsBelow(page, 'Error types'))).toEqual([...errorTypes].sort());
  });

  it(verifies('HOUSE-003', 'explains exactly the problem codes, with their status'), () => {
    const rows = rowsBelow(page, 'Problems');
    const wanted = Object.entries(problems).map(([code, { status }]) => [`\`${code}\``, String(status)]);
    expect(rows.map(([code, status]) => [code, status])).toEqual(wanted);
  });

  it(verifies('HOUSE-003', 'leaves no cell empty'), () => {
    const rows = ['Failures of tool calls', 'Error types', 'Problems'].flatMap((heading) => rowsBelow(page, heading));
    expect(rows.filter((row) => row.some((cell) => cell === ''))).toEqual([]);
  });
});
