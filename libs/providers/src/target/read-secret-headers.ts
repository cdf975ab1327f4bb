import { readFile } from 'node:fs/promises';
import type { Scope } from '@agentstration/contracts';
import { hostMatches, hostOf } from '../address/host-pattern.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { ProviderSecret } from '../options.ts';
import { isListed } from './is-listed.ts';

export interface SecretUse {
  readonly scope: Scope;
  readonly url: URL;
  readonly headerReferences: Readonly<Record<string, string>>;
}

/** Headers that belong to the protocols themselves. */
const reserved =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept|last-event-id|mcp-.*|proxy-.*)$/i;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]{1,16384}$/;

/**
 * The headers of a provider, each value read fresh from its file. A secret that does not exist and one that is not open
 * to the Workspace or the host look the same.
 *
 * @throws ProviderFailure `secret_not_permitted`, `secret_unreadable` or `header_not_permitted`
 */
export async function readSecretHeaders(
  secrets: Readonly<Record<string, ProviderSecret>>,
  use: SecretUse,
): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(use.headerReferences).map(async ([header, name]) => {
    if (!headerName.test(header) || reserved.test(header))
      throw new ProviderFailure('header_not_permitted', 'A header reference names a header that providers cannot set.');
    return [header.toLowerCase(), await readValue(permittedSecret(secrets, name, use), name)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function permittedSecret(secrets: Readonly<Record<string, ProviderSecret>>, name: string, { scope, url }: SecretUse): ProviderSecret {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  const host = hostOf(url);
  if (!secret || !isListed(secret.Workspaces, scope) || !secret.Hosts.some((entry) => hostMatches(entry, host)))
    throw new ProviderFailure('secret_not_permitted', `No secret "${name}" is open to the Workspace for ${host.host}:${host.port}.`);
  return secret;
}

async function readValue(secret: ProviderSecret, name: string): Promise<string> {
  const text = await readFile(secret.ValueFile, 'utf8').catch(() => undefined);
  const value = text?.replace(/\r?\n$/, '');
  if (value === undefined || !headerValue.test(value))
    throw new ProviderFailure('secret_unreadable', `The file of the secret "${name}" cannot be read, or holds no header value.`);
  return value;
}
