import type { AddressPolicy } from '../address/address-policy.ts';
import { createAgent } from '../address/create-agent.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readText } from '../http/read-body.ts';
import { sendRequest } from '../http/send-request.ts';
import type { ExtensionSettings } from '../options.ts';
import { type ExtensionDescriptor, parseDescriptor } from './parse-descriptor.ts';

const maximumBytes = 1024 * 1024;
const timeoutMs = 5_000;

export interface ConfiguredExtension {
  readonly id: string;
  readonly settings: ExtensionSettings;
}

/** An extension's endpoint stands in the operator's configuration: it may be inside. Other hosts get no such trust. */
const rule = { publicToo: true, trusted: true };

/** The endpoint as a folder: what is relative resolves below it. */
export function extensionBase(policy: AddressPolicy, { settings }: ConfiguredExtension): URL {
  const url = policy.readEndpoint(settings.Endpoint, rule);
  return new URL(url.pathname.endsWith('/') ? url : `${url.origin}${url.pathname}/`);
}

/**
 * Asks an extension what it contributes.
 *
 * @throws ProviderFailure
 */
export async function fetchDescriptor(policy: AddressPolicy, extension: ConfiguredExtension): Promise<ExtensionDescriptor> {
  const url = new URL('.well-known/aep', extensionBase(policy, extension));
  const agent = createAgent({ url, rule }, policy, timeoutMs);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await sendRequest(agent, { method: 'GET', url, headers: { accept: 'application/json' }, signal });
    if (response.statusCode !== 200)
      throw new ProviderFailure('extension_descriptor_invalid', `The descriptor answers with HTTP status ${response.statusCode}.`);
    return parseDescriptor(Buffer.from(await readText(response.body, maximumBytes)), extension.id);
  } catch (error) {
    throw asDescriptorFailure(error);
  } finally {
    await agent.destroy();
  }
}

function asDescriptorFailure(error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  if (error.code === 'provider_connection_lost')
    return new ProviderFailure('provider_unreachable', 'The descriptor did not come.', { cause: error });
  if (error.code !== 'provider_result_too_large') return error;
  return new ProviderFailure('extension_descriptor_invalid', `The descriptor has more than ${maximumBytes} bytes.`);
}
