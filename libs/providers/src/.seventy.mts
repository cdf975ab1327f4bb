import { McpToolProviders } from '/work/main/libs/providers/src/index.ts';
import { issuePermit } from '/work/main/libs/providers/src/contract-suite/issue-permit.ts';
import { startTestMcpServer, testMcpServerPath } from '/work/main/test/support/mcp/test-server.ts';
const server = await startTestMcpServer();
const providers = new McpToolProviders({
  allowedPrivateHosts: ['127.0.0.0/8'],
  stdio: { t: { Command: process.execPath, Arguments: [testMcpServerPath], Workspaces: ['*'] } },
});
const mk = (mcp: any) => ({
  scope: { tenantId: 'a', workspaceId: 'b' },
  providerId: 'p',
  generation: 1,
  definition: { displayName: 'x', enabled: true, providerType: 'mcp', mcp } as const,
});
await Promise.all(
  [mk({ transport: 'stdio', profile: 't' }), mk({ transport: 'streamableHttp', endpoint: server.url })].map(async (provider) => {
    for (const [tool, args] of [
      ['progress', { ms: 70000, everyMs: 5000 }],
      ['slow', { ms: 65000 }],
    ] as const) {
      const t = performance.now();
      const permit = await issuePermit({ providerId: 'p', externalToolId: tool, lifetimeMs: 3000 });
      const o = await providers.call(permit, {
        provider,
        externalToolId: tool,
        arguments: args,
        timeoutMs: 120000,
        signal: new AbortController().signal,
      } as any);
      console.log(provider.definition.mcp.transport, tool, o.kind, Math.round(performance.now() - t));
    }
  }),
);
await providers.close();
await server.stop();
