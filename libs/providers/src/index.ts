export { McpToolProviders } from './mcp-tool-providers.ts';
export type { ExtensionSettings, ProviderEvent, ProviderLogger, ProviderSecret, StdioProfile, ToolProvidersOptions } from './options.ts';
