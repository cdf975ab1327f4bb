import { type DiscoverReply, type DiscoverRequest, type Scope, parseStrictJson } from '@agentstration/contracts';
import { DiscoveryFailed, type ToolDiscovery, validateToolProviderDefinition } from '@agentstration/governance';

/** Answers the management API's question which tools a provider offers. Never rejects: a failure is an answer. */
export async function discoverTools(discovery: ToolDiscovery, scope: Scope, payload: Uint8Array): Promise<DiscoverReply> {
  const { providerId, generation, definition } = parseStrictJson(payload) as DiscoverRequest;
  const validated = validateToolProviderDefinition(definition);
  if (!validated.ok)
    return { error: { code: 'provider_definition_invalid', message: 'The definition of the tool provider is not valid.' } };
  try {
    return { tools: await discovery.discover({ scope, providerId, generation, definition: validated.definition }) };
  } catch (error) {
    if (error instanceof DiscoveryFailed) return { error: { code: error.code, message: error.message } };
    return { error: { code: 'discovery_failed', message: 'The executor could not ask the tool provider.' } };
  }
}
