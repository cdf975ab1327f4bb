import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseToolRequest } from '@agentstration/contracts';
import { validateManifest } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { parse } from 'yaml';
import { podsOf, render } from '../helm/render.ts';
import { deploy } from './read-compose.ts';

const examples = join(deploy, 'examples');
const read = (file: string): Promise<string> => readFile(join(examples, file), 'utf8');

describe('the examples', () => {
  it.each(['hook.yaml', 'tool-provider.yaml'])(verifies('DEPLOY-009', '%s is a manifest that the API takes'), async (file) => {
    const manifest = parse(await read(file), { uniqueKeys: true }) as { kind: 'ToolExecutionHook' | 'ToolProvider' };
    expect(validateManifest(manifest.kind, manifest)).toMatchObject({ ok: true });
  });

  it(verifies('DEPLOY-009', 'tool-request.json is a request that the executor takes'), async () => {
    expect(parseToolRequest(await readFile(join(examples, 'tool-request.json')))).toMatchObject({ ok: true });
  });

  it(verifies('DEPLOY-009', 'local-hooks/argument-size.mjs guards as it says'), async () => {
    type Guard = { id: string; order: number; evaluate(invocation: object): { decision: string; code?: string } };
    const { default: guards } = (await import(join(examples, 'local-hooks/argument-size.mjs'))) as { default: Guard[] };
    expect(guards.map(({ id, order }) => [id, order])).toEqual([['argument-size', -100]]);
    expect(guards[0]?.evaluate({ arguments: { a: 1 } })).toEqual({ decision: 'Allowed' });
    expect(guards[0]?.evaluate({ arguments: { a: 'x'.repeat(70_000) } })).toMatchObject({
      decision: 'Denied',
      code: 'arguments_too_large',
    });
  });

  it(verifies(['DEPLOY-001', 'DEPLOY-009'], 'values-production.yaml installs'), async () => {
    const values = parse(await read('values-production.yaml'), { uniqueKeys: true }) as object;
    expect([...podsOf(await render(values)).keys()].sort()).toEqual([
      'governance-projector',
      'management-api',
      'provision',
      'tool-executor',
    ]);
  });

  it('are all looked at here, but for those that the executor proves beside its loader', async () => {
    const files = await readdir(examples, { recursive: true, withFileTypes: true });
    expect(files.flatMap((file) => (file.isFile() ? [file.name] : [])).sort()).toEqual([
      ...['argument-size.mjs', 'business-hours.mjs', 'hook.yaml', 'tool-provider.yaml', 'tool-request.json', 'values-production.yaml'],
    ]);
  });
});
