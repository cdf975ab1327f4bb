import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { type Requirement, requirements } from '../requirements.ts';
import { auditCoverage, findCitations, readCitations } from '../support/requirement-coverage.ts';

const root = join(import.meta.dirname, '../..');
const areasFolder = join(import.meta.dirname, '../requirements');

/** Every area's file, whether or not `requirements.ts` knows it. */
async function readAreas(): Promise<Map<string, Record<string, Requirement>>> {
  const files = (await readdir(areasFolder)).filter((file) => file.endsWith('.ts'));
  const areas = files.map(async (file) => {
    const module = (await import(join(areasFolder, file))) as Record<string, Record<string, Requirement>>;
    return [file, Object.assign({}, ...Object.values(module)) as Record<string, Requirement>] as const;
  });
  return new Map(await Promise.all(areas));
}

describe('the requirements', () => {
  it(verifies('HOUSE-002', 'of every area are merged into requirements.ts, each id once'), async () => {
    const ids = [...(await readAreas())].flatMap(([file, area]) => Object.keys(area).map((id) => ({ id, file })));
    const known = new Set(Object.keys(requirements));
    const missing = ids.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} of ${file} is not merged`);
    const twice = ids.filter(({ id }, index) => ids.findIndex((other) => other.id === id) !== index).map(({ id }) => `${id} is used twice`);
    expect([...missing, ...twice]).toEqual([]);
  });

  it(verifies('HOUSE-002', 'read as ids and sentences'), () => {
    const odd = Object.entries<Requirement>(requirements).filter(
      ([id, { text, deferred }]) => !/^[A-Z][A-Z-]*-\d{3}$/.test(id) || text.length < 20 || deferred === '',
    );
    expect(odd).toEqual([]);
  });

  it(verifies('HOUSE-002', 'that are not deferred all have a test, and tests cite no others'), async () => {
    expect(auditCoverage(requirements, await findCitations(root))).toEqual([]);
  });
});

describe('the audit of requirements', () => {
  const promises = { 'A-001': { text: 'Kept.' }, 'A-002': { text: 'Later.', deferred: 'needs B' } };

  it('finds a promise without a test', () => {
    expect(auditCoverage(promises, readCitations('a.spec.ts', 'nothing'))).toEqual([expect.stringContaining('A-001 has no test')]);
  });

  it('finds citations of unknown and of deferred promises', () => {
    const found = readCitations('a.spec.ts', `it(verifies(['A-001', 'A-002'], 'x')); it(verifies("A-003", 'y'))`);
    expect(auditCoverage(promises, found)).toEqual([
      'a.spec.ts cites A-002, which is marked deferred: remove the mark',
      'a.spec.ts cites A-003, which is no requirement',
    ]);
  });

  it('counts neither comments nor strings, and refuses ids that it cannot read', () => {
    const found = readCitations('a.spec.ts', `// verifies('A-001', 'x')\nconst s = "verifies('A-001')";\nit(verifies(ids, 'x'));`);
    expect(found).toEqual({ citations: [], unreadable: ['a.spec.ts:3'] });
  });
});
