// Prints a token for deploy/compose.yaml, valid for a day:
//   node deploy/create-token.mjs --tenant acme --workspace demo --role admin
import { Buffer } from 'node:buffer';
import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const roles = ['viewer', 'auditor', 'operator', 'admin'];
const { values } = parseArgs({
  options: {
    tenant: { type: 'string', default: 'acme' },
    workspace: { type: 'string', multiple: true, default: ['demo'] },
    role: { type: 'string', default: 'admin' },
    principal: { type: 'string', default: 'operator' },
  },
});
if (!roles.includes(values.role)) {
  console.error(`--role must be one of ${roles.join(', ')}`);
  process.exit(1);
}

const now = Math.floor(Date.now() / 1000);
const header = { alg: 'ES256', kid: 'compose', typ: 'JWT' };
const claims = {
  iss: 'https://tokens.compose.invalid',
  aud: 'agentstration',
  sub: values.principal,
  tenant: values.tenant,
  workspaces: values.workspace,
  roles: [values.role],
  iat: now,
  exp: now + 86_400,
};
const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
const key = readFileSync(join(import.meta.dirname, 'secrets/token-key.pem'), 'utf8');
console.log(`${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`);
