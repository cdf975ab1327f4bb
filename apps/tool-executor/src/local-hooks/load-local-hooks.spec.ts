import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadLocalHooks } from './load-local-hooks.ts';
import { withinTimeLimit } from './within-time-limit.ts';

const example = join(import.meta.dirname, '../../../../deploy/examples/local-hooks/business-hours.mjs');

describe('local hook modules', () => {
  let directory: string;
  const write = async (source: string): Promise<string> => {
    const path = join(directory, `module-${Math.random()}.mjs`);
    await writeFile(path, source);
    return path;
  };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'local-hooks-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it(verifies('HOOK-009', 'are loaded: the example guards payments and nothing else'), async () => {
    const [hook] = await loadLocalHooks([example]);
    expect(hook?.identity).toEqual({ id: 'business-hours', order: -100, source: 'Local' });
    expect(await hook?.evaluate({ toolId: 'crm.lookup' } as never, new AbortController().signal)).toEqual({ decision: 'Allowed' });
    const payment = await hook?.evaluate({ toolId: 'shop.refund' } as never, new AbortController().signal);
    expect(['Allowed', 'Denied']).toContain(payment?.decision);
  });

  it(verifies('HOOK-009', 'may be made by a function, also later'), async () => {
    const made = await write(`export default async () => [{ id: 'made', evaluate: () => ({ decision: 'Allowed' }) }];`);
    expect((await loadLocalHooks([made])).map(({ identity }) => identity)).toEqual([{ id: 'made', order: 0, source: 'Local' }]);
  });

  it.each([
    ['export default [', 'cannot be loaded'],
    ['export default 1;', 'must export by default a list of hooks'],
    ['export default [{}];', 'hook 0 needs an id'],
    [`export default [{ id: 'a' }];`, 'hook 0 (a) needs a function evaluate'],
    [`export default [{ id: 'a', order: 0.5, evaluate() {} }];`, 'hook 0 (a) needs an integer order'],
    [`export default [{ id: 'a', evaluate() {}, afterInvoke: 1 }];`, 'hook 0 (a) has an afterInvoke that is not a function'],
    [`export default [{ id: 'tool-catalog', evaluate() {} }];`, 'hook 0 has the reserved id tool-catalog'],
    [`export default [{ id: 'managed:default/x', evaluate() {} }];`, 'hook 0 has the reserved id managed:default/x'],
    [`export default () => { throw new Error('no database'); };`, 'could not make its hooks (no database)'],
  ])(verifies('HOOK-009', 'that are wrong stop the start and are named: %s'), async (source, problem) => {
    const path = await write(source);
    await expect(loadLocalHooks([path])).rejects.toThrow(
      `The local hook module ${path} (Agentstration:ToolExecution:LocalHookModules) ${problem}`,
    );
  });

  it(verifies('HOOK-009', 'that do not exist, or repeat an id, stop the start'), async () => {
    await expect(loadLocalHooks(['./nowhere.mjs'])).rejects.toThrow('./nowhere.mjs');
    const path = await write(`export default [{ id: 'a', evaluate() {} }];`);
    await expect(loadLocalHooks([path, path])).rejects.toThrow('Two local hooks have the id a');
  });
});

describe('the hook time limit', () => {
  it(verifies('HOOK-002', 'abandons work that does not settle, and tells it by the signal'), async () => {
    let aborted = false;
    const limited = await withinTimeLimit(20)((signal) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))));
    expect([limited, aborted]).toEqual([{ kind: 'timed_out' }, true]);
  });
});
