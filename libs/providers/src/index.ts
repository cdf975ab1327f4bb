export { type FailureCode, failureCodes } from './failures/provider-failure.ts';
export { McpToolProviders } from './mcp-tool-providers.ts';
export type { ExtensionSettings, ProviderEvent, ProviderLogger, ProviderSecret, StdioProfile, ToolProvidersOptions } from './options.ts';
