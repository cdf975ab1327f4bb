// Makes the secrets of deploy/compose.yaml below deploy/secrets/: node deploy/create-secrets.mjs
// Secrets that exist are kept. The folder is closed to other users of the host; inside containers the files are readable,
// because each runs as a user of its own.
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'secrets');
mkdirSync(folder, { recursive: true, mode: 0o700 });

/** The content of a secret; made by `make` when there is none yet. */
function secret(name, make, mode = 0o644) {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, make(), { flag: 'wx', mode });
  return readFileSync(file, 'utf8');
}

const password = () => randomBytes(24).toString('base64url');

secret('database-password-superuser', password);
for (const service of ['migration', 'management-api', 'tool-executor', 'governance-projector']) {
  const user = service.replaceAll('-', '_');
  const own = secret(`database-password-${service}`, password);
  secret(`database-url-${service}`, () => `postgres://${user}:${own}@postgres:5432/agentstration`);
}
for (const user of ['provision', 'management-api', 'tool-executor', 'governance-projector', 'requester-acme-demo'])
  secret(`nats-password-${user}`, password);

// Signs the tokens of deploy/create-token.mjs, in place of an identity provider.
const makeKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const privateKey = secret('token-key.pem', makeKey, 0o600);
secret('jwks.json', () => {
  const key = createPublicKey(privateKey).export({ format: 'jwk' });
  return JSON.stringify({ keys: [{ ...key, kid: 'compose', alg: 'ES256', use: 'sig' }] });
});

console.log(`The secrets are in ${folder}`);
