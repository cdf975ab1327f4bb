import { Type } from 'typebox';
import { choice, flag, httpUrl, secret, section, text, texts, whole } from './schema-parts.ts';

const gibibyte = 1024 ** 3;
const bytes = { minimum: 1024 ** 2, maximum: Number.MAX_SAFE_INTEGER };

export const nats = section(
  {
    Servers: texts('Servers of the cluster.', {
      default: ['nats://127.0.0.1:4222'],
      minItems: 1,
      form: { pattern: '^(?:(?:nats|tls)://)?[^\\s@/]+$', title: 'nats://host:port or tls://host:port, without user and password' },
    }),
    MonitoringUrls: texts('Monitoring endpoints of all servers; without them the durability level is `process`.', {
      default: [],
      form: httpUrl,
    }),
    User: Type.Optional(text('User name.')),
    ...secret('Password', 'Password of `User`.'),
    ...secret('Token', 'Connection token.'),
    ...secret('NKeySeed', 'Seed of an NKey (`SU…`).'),
    ...secret('Credentials', 'User JWT and NKey seed, as in a `.creds` file.'),
    Tls: section(
      {
        Enabled: flag('Refuse a connection that is not encrypted.', false),
        CaFile: Type.Optional(text('Certificate authorities to trust, PEM.')),
        CertFile: Type.Optional(text('Client certificate, PEM.')),
        KeyFile: Type.Optional(text('Key of the client certificate, PEM.')),
        HandshakeFirst: flag('Start TLS before the server says a word.', false),
      },
      'Encryption. A CA, certificate or `tls://` server turns it on too.',
    ),
  },
  'The NATS cluster.',
);

export const journal = section(
  {
    RequiredDurability: choice('Refuse to start below this level of durability.', ['process', 'power'], 'process'),
    Replicas: whole('Copies of the Journal.', { default: 1, minimum: 1, maximum: 5 }),
    MaximumBytes: whole('Size at which the Journal refuses more. It can only be raised.', { default: 10 * gibibyte, ...bytes }),
  },
  'The stream of facts.',
);

export const requests = section(
  {
    MaximumPerWorkspace: whole('Requests of one Workspace that may wait.', { default: 100_000, minimum: 1, maximum: 100_000_000 }),
    MaximumBytes: whole('Size at which the request queue refuses more.', { default: 10 * gibibyte, ...bytes }),
  },
  'The queue of tool requests.',
);

export const database = section(
  {
    Url: text('PostgreSQL URL with user and password.', {
      pattern: '^postgres(?:ql)?://',
      title: 'a URL postgres://user:password@host:port/database',
    }),
    UrlFile: Type.Optional(text('Path of a file that holds `Url`; a final line break is dropped.')),
    MaximumConnections: whole(
      'Connections of a pool. Every service has one pool; the projector has two, one that writes and one that reads.',
      {
        default: 10,
        minimum: 1,
        maximum: 1000,
      },
    ),
    ConnectTimeoutMs: whole('Longest wait for a connection.', { default: 3000, minimum: 50, maximum: 600_000 }),
    StatementTimeoutMs: whole('Longest time of one statement.', { default: 10_000, minimum: 50, maximum: 3_600_000 }),
    IdleTimeoutMs: whole('A connection that idles longer is closed.', { default: 30_000, minimum: 100, maximum: 3_600_000 }),
  },
  'PostgreSQL.',
);

export const http = section(
  {
    Host: text('Address to listen on. In Development mode only a loopback address.', { default: '127.0.0.1' }),
    Port: whole('Port to listen on; 0 takes a free one.', { default: 5100, minimum: 0, maximum: 65_535 }),
    ShutdownTimeoutMs: whole('On shutdown, requests in flight may take this long.', { default: 10_000, minimum: 0, maximum: 600_000 }),
  },
  'The HTTP listener.',
);

export const rateLimit = section(
  {
    Requests: whole('Requests that one principal may send to one process per window; 0 sets no limit.', {
      default: 10_000,
      minimum: 0,
      maximum: 100_000_000,
    }),
    WindowSeconds: whole('Length of the window.', { default: 10, minimum: 1, maximum: 3600 }),
  },
  'Fairness between principals.',
);
