import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { type ScratchWorkspace, createScratchWorkspace } from '../support/scratch-workspace.ts';

const rule = '@nx/enforce-module-boundaries';

/** What nobody may write, by the file that would write it. */
const forbidden = {
  'libs/governance/src/core-imports-adapter.ts': `import '@agentstration/store';\n`,
  'libs/governance/src/core-imports-service-kit.ts': `import '@agentstration/service-kit';\n`,
  'libs/journal/src/adapter-imports-adapter.ts': `import '@agentstration/store';\n`,
  'libs/journal/src/adapter-imports-adapter-by-path.ts': `import '../../store/src/index.ts';\n`,
};

describe('module boundaries', () => {
  let workspace: ScratchWorkspace;

  beforeAll(async () => {
    workspace = await createScratchWorkspace();
  });
  afterAll(() => workspace.remove());

  const lint = () =>
    workspace.nx('run-many', '-t', 'lint', '-p', '@agentstration/governance', '@agentstration/journal', '--outputStyle=static');

  it(
    verifies('HOUSE-001', 'let the sources through as they are'),
    async () => {
      const { exitCode, output } = await lint();
      expect(output).not.toContain(rule);
      // ESLint without a project graph would skip the rule and say so.
      expect(output).not.toMatch(/no cached ProjectGraph|Cannot find .*project graph/i);
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    },
    120_000,
  );

  it(
    verifies('HOUSE-001', 'fail lint, in the name of the rule, when the core or an adapter imports an adapter'),
    async () => {
      await Promise.all(Object.entries(forbidden).map(([file, text]) => writeFile(join(workspace.directory, file), text)));
      const { exitCode, output } = await lint();
      expect(exitCode).not.toBe(0);
      const refused = Object.keys(forbidden).filter((file) => complaintAbout(output, file).includes(rule));
      expect({ refused, output }).toMatchObject({ refused: Object.keys(forbidden) });
    },
    120_000,
  );
});

/** What ESLint's default format prints below a file's name. */
function complaintAbout(output: string, file: string): string {
  const [, rest = ''] = output.split(`/${file}\n`);
  return rest.split(/^(?:\/.*|✖ .*)$/m)[0] ?? '';
}
