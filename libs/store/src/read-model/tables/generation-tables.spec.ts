import { createHash } from 'node:crypto';
import { verifies } from '@agentstration/test/verifies';
import { expect, it } from '@jest/globals';
import { createTables, readModelFormat } from './generation-tables.ts';

/** Of the statements that make the tables, by format. A format that was ever released stays here as it is. */
const digests: Readonly<Record<number, string>> = {
  2: 'fe8005a563988296ac362b9756911216e9a1b59496205b7a56719b1b9b82131d',
};

it(verifies('PROJ-016', 'the format number stands for these columns: who changes them raises it, and adds a line above'), () => {
  const statements = createTables(1).map((statement) => statement.replace(/\s+/g, ' '));
  expect(createHash('sha256').update(JSON.stringify(statements)).digest('hex')).toBe(digests[readModelFormat]);
});
