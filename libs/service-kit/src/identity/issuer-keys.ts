import { readFile, stat } from 'node:fs/promises';
import { parseStrictJson } from '@agentstration/contracts';
import { type JSONWebKeySet, type JWTVerifyGetKey, createLocalJWKSet, createRemoteJWKSet, errors } from 'jose';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { faultAt } from '../configuration/configuration-key.ts';
import { KeysUnavailable } from './token-verifier.ts';

/** What says that the issuer has no such key; everything else means that its keys cannot be had. */
const isAnswer = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported;

/** The keys that the issuer publishes, kept for ten minutes; an unknown key asks again, at most twice a minute. */
export function keysFromUrl(url: string): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL(url), { timeoutDuration: 3000, cooldownDuration: 30_000, cacheMaxAge: 600_000 });
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      throw isAnswer(error) ? error : new KeysUnavailable({ cause: error });
    }
  };
}

/** The keys in a file, read again whenever the file changes. */
export function keysFromFile(path: string): JWTVerifyGetKey {
  let known: { version: string; keys: JWTVerifyGetKey } | undefined;
  return async (header, token) => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (known?.version !== version) known = { version, keys: await readKeys(path) };
    } catch (error) {
      throw new KeysUnavailable({ cause: error });
    }
    return known.keys(header, token);
  };
}

const readKeys = async (path: string): Promise<JWTVerifyGetKey> =>
  createLocalJWKSet(parseStrictJson(await readFile(path)) as JSONWebKeySet);

/** Refuses to start with a file that holds no keys. */
export async function checkKeyFile(path: string): Promise<void> {
  try {
    await readKeys(path);
  } catch {
    const key = ['Authentication', 'JwksFile'];
    throw new ConfigurationError([faultAt(key, `must name a file with a JSON Web Key Set (RFC 7517), which ${path} is not`)]);
  }
}
