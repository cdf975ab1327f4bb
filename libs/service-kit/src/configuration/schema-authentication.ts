import { Type } from 'typebox';
import { choice, httpUrl, section, text, whole } from './schema-parts.ts';

/** Asymmetric signatures only: with `none` or HMAC a verifier's public key could forge a token (RFC 8725, section 3.1). */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

const claim = (name: string, description: string) => text(`${description}: its name, or a JSON Pointer into the token.`, { default: name });

export const authentication = section(
  {
    Mode: choice(
      '`Jwt` verifies tokens of an issuer; `Development` makes a key of its own and listens on loopback only.',
      ['Jwt', 'Development'],
      'Jwt',
    ),
    Issuer: Type.Optional(text('The `iss` that tokens must have.')),
    Audience: Type.Optional(text('The `aud` that tokens must have.')),
    Algorithms: Type.Array(Type.Enum(algorithms), {
      description: 'Signature algorithms to accept.',
      default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      minItems: 1,
    }),
    JwksUrl: Type.Optional(text('Where the issuer publishes its keys.', httpUrl)),
    JwksFile: Type.Optional(text('Path of a file with the keys, instead of `JwksUrl`.')),
    ClockToleranceSeconds: whole('Difference of clocks that is forgiven.', { default: 5, minimum: 0, maximum: 300 }),
    Claims: section(
      {
        Tenant: claim('tenant', 'The claim with the tenant'),
        Workspaces: claim('workspaces', 'The claim with the workspaces, a list or a map of workspace to roles'),
        Roles: claim('roles', 'The claim with the roles'),
      },
      'Where a token says what.',
    ),
  },
  'Who may call the HTTP APIs.',
);
