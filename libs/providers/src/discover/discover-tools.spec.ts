import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiscoveryFailed } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestBench, providerOf } from '../contract-suite/test-bench.ts';
import { failureCodes } from '../failures/provider-failure.ts';
import type { ToolProvidersOptions } from '../options.ts';
import { readTool } from './read-tool.ts';

let bench: TestBench;
beforeEach(async () => {
  bench = await TestBench.open();
});
afterEach(() => bench.close());

const provider = providerOf({ transport: 'stdio', profile: 'test' });

const discover = (flags: readonly string[], options: ToolProvidersOptions = {}) =>
  bench.providers({ stdio: { test: bench.profile(...flags) }, ...options }).discover(provider);

async function failureOf(discovery: Promise<unknown>): Promise<DiscoveryFailed> {
  const failure: unknown = await discovery.catch((error: unknown) => error);
  if (!(failure instanceof DiscoveryFailed)) throw new Error('Discovery did not fail.');
  return failure;
}

describe('discovery', () => {
  it(verifies('PROV-027', 'reads every page, with title, description and schemas'), async () => {
    const [whole, paged] = await Promise.all([discover([]), discover(['--pages', '5'])]);
    expect(paged).toEqual(whole);
    expect(whole).toContainEqual({
      externalName: 'schema-bad',
      title: 'SCHEMA-BAD',
      description: expect.any(String) as unknown,
      inputSchema: { type: 'object' },
      outputSchema: expect.objectContaining({ type: 'object' }) as unknown,
    });
  });

  it.each([
    ['--looping-cursor', 'tool_list_endless', 'repeats a cursor'],
    ['--endless-pages', 'tool_list_endless', 'more than 100 pages'],
    ['--duplicate-names', 'tool_name_duplicate', 'name of another'],
    ['--bad-tool', 'tool_invalid', 'has no name'],
    ['--die-at-start', 'provider_unavailable', ''],
  ])('refuses a list as a whole: %s', async (flag, code, message) => {
    expect(await failureOf(discover([flag]))).toMatchObject({ code, message: expect.stringContaining(message) as unknown });
  });

  it(verifies('PROV-027', 'refuses a list that is too large'), async () => {
    expect(await failureOf(discover([], { maximumDiscoveryBytes: 500 }))).toMatchObject({ code: 'tool_list_too_large' });
    expect(await failureOf(discover([], { maximumResultBytes: 500 }))).toMatchObject({ code: 'provider_result_too_large' });
  });

  it(verifies('PROV-028', 'ends when its time is over'), async () => {
    const failure = await failureOf(discover(['--hang-initialize'], { discoveryTimeoutMs: 300 }));
    expect(failure).toMatchObject({ code: 'provider_timeout' });
  });

  it(verifies('PROV-027', 'sees what the server has added since'), async () => {
    const providers = bench.providers({ stdio: { test: bench.profile() } });
    const before = await providers.discover(provider);
    await bench.call(providers, provider, 'mutate-tools');
    const after = await providers.discover(provider);
    expect(after.map(({ externalName }) => externalName)).toEqual([...before.map(({ externalName }) => externalName), 'added-0']);
  });

  it(verifies('PROV-027', 'opens a new session when the server has forgotten the old one'), async () => {
    const server = await bench.serve();
    const remote = providerOf({ transport: 'streamableHttp', endpoint: server.url });
    const providers = bench.providers();
    const before = await providers.discover(remote);
    await server.kill();
    await bench.serve('--port', String(server.port));
    expect(await providers.discover(remote)).toEqual(before);
  });

  it(verifies('PROV-028', 'has every code of its failures explained, and no other'), async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/reference/codes.md'), 'utf8');
    const [, section = ''] = page.split('\n## Failures of discovery\n');
    const explained = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(explained).toEqual([...failureCodes]);
  });

  it(verifies(['PROV-028', 'PROV-029'], 'reports the code that it fails with, of the closed list, and nothing else'), async () => {
    const { code } = await failureOf(discover(['--bad-tool']));
    expect(failureCodes).toContain(code);
    const event = bench.events.find(({ type }) => type === 'discovery_ended');
    expect(event).toEqual({ type: 'discovery_ended', code, durationMs: expect.any(Number) as unknown });
  });
});

describe('a discovered tool', () => {
  it(verifies('PROV-027', 'is read or refused, never anything else, whatever a server offers'), () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.string({ unit: 'binary' }), (name, description, text) => {
        for (const entry of [name, { name, description }, { name: text, description: text, inputSchema: { [text]: description } }]) {
          try {
            const tool = readTool(entry, 1);
            expect(tool.externalName.length).toBeGreaterThan(0);
            expect(JSON.stringify(tool)).not.toMatch(/(?<!\\)(?:\\\\)*\\u0000/);
          } catch (error) {
            expect(error).toMatchObject({ code: 'tool_invalid' });
          }
        }
      }),
    );
  });
});
