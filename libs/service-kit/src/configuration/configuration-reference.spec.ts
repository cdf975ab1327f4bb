import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { expect, it } from '@jest/globals';
import { configurationReference } from './configuration-reference.ts';

const page = join(import.meta.dirname, '../../../../docs/reference/configuration.md');

/** `WRITE_REFERENCE=1` writes the page instead of comparing it. */
it(verifies('CONF-012', 'the reference page says what the schema says'), async () => {
  const wanted = configurationReference();
  if (process.env.WRITE_REFERENCE === '1') await writeFile(page, wanted);
  expect(await readFile(page, 'utf8')).toBe(wanted);
});
