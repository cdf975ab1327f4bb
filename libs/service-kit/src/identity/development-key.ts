import { link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JWK, exportJWK, generateKeyPair } from 'jose';
import { ConfigurationError } from '../configuration/configuration-error.ts';

/** What tokens of Development mode say about where they come from. */
export const developmentIssuer = 'agentstration-development';
export const developmentAudience = 'agentstration';
export const developmentAlgorithm = 'ES256';

const fileName = 'development-key.json';

/**
 * The private key of Development mode, made when there is none. Services that start at the same time agree on one.
 *
 * @throws ConfigurationError when others than the owner could read it.
 */
export async function developmentKey(dataDirectory: string): Promise<JWK> {
  const path = join(dataDirectory, fileName);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  if (!(await exists(path))) await make(path);
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    throw new ConfigurationError([{ key: path, message: 'must be readable by its owner only: whoever has this key is admin (chmod 600)' }]);
  }
  return JSON.parse(await readFile(path, 'utf8')) as JWK;
}

/** A link appears whole or not at all, and does not replace the key of a rival that was faster. */
async function make(path: string): Promise<void> {
  const { privateKey } = await generateKeyPair(developmentAlgorithm, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: developmentAlgorithm, kid: 'development', use: 'sig' };
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(jwk), { mode: 0o600, flag: 'wx' });
    await flush(draft);
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
