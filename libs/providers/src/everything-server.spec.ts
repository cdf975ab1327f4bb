import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort, startProcess } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBench, providerOf } from './contract-suite/test-bench.ts';

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const program = join(dirname(packageFile), 'dist/index.js');

let bench: TestBench;
beforeEach(async () => {
  bench = await TestBench.open();
});
afterEach(() => bench.close());

type Use = Parameters<TestBench['call']> extends [infer Providers, infer Provider, ...unknown[]] ? [Providers, Provider] : never;

async function exercise(...[providers, provider]: Use): Promise<void> {
  const tools = await providers.discover(provider);
  const echo = tools.find(({ externalName }) => externalName === 'echo');
  expect(echo).toMatchObject({ inputSchema: { type: 'object', required: ['message'] } });
  expect(await bench.call(providers, provider, 'echo', { arguments: { message: 'hello' } })).toMatchObject({
    kind: 'answered',
    isError: false,
    result: { content: [{ type: 'text', text: 'Echo: hello' }] },
  });
  // It validates arguments itself, and says so as its own error.
  expect(await bench.call(providers, provider, 'echo')).toMatchObject({ kind: 'answered', isError: true });
  const long = { arguments: { duration: 1, steps: 4 } };
  expect(await bench.call(providers, provider, 'trigger-long-running-operation', long)).toMatchObject({ kind: 'answered', isError: false });
}

describe('the public server "everything"', () => {
  it(verifies(['PROV-003', 'PROV-027'], 'is discovered and called over stdio'), async () => {
    const profile = { Command: process.execPath, Arguments: [program, 'stdio'], Workspaces: ['demo'] };
    await exercise(bench.providers({ stdio: { everything: profile } }), providerOf({ transport: 'stdio', profile: 'everything' }));
  });

  it(verifies(['PROV-003', 'PROV-027'], 'is discovered and called over Streamable HTTP'), async () => {
    const port = await freePort();
    const server = await startProcess({
      command: process.execPath,
      arguments: [program, 'streamableHttp'],
      environment: { ...process.env, PORT: String(port) },
      ready: /listening on port/i,
    });
    const provider = providerOf({ transport: 'streamableHttp', endpoint: `http://localhost:${port}/mcp` });
    await exercise(bench.providers({ allowedPrivateHosts: [`localhost:${port}`] }), provider);
    await server.stop();
  });
});
