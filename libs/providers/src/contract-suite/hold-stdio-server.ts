// Stands in for an executor that is about to be killed: connects to a stdio server and stays.
// node --experimental-transform-types --conditions=@agentstration/source hold-stdio-server.ts '<shell command>'
import { setInterval } from 'node:timers';
import { McpToolProviders } from '../mcp-tool-providers.ts';

const Arguments = ['-c', process.argv[2] ?? ''];
const providers = new McpToolProviders({ stdio: { held: { Command: '/bin/sh', Arguments, Workspaces: ['*'] } } });
const mcp = { transport: 'stdio', profile: 'held' } as const;
const scope = { tenantId: 'local', workspaceId: 'demo' };
const definition = { displayName: 'Held', enabled: true, providerType: 'mcp', mcp } as const;
await providers.discover({ scope, providerId: 'held', generation: 1, definition });
console.log('connected');
setInterval(() => undefined, 1000);
