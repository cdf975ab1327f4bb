import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { Configuration } from '../configuration/configuration.ts';
import { createLogger } from '../logging/create-logger.ts';
import { logStatus } from './log-status.ts';

export interface NatsOptions {
  /** Shown by the broker's monitoring, and part of the private inbox prefix: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Called when the connection is closed for good and nobody asked for it. */
  readonly onClosed?: () => void;
}

type Nats = Configuration['Nats'];

/**
 * Replies to our own services come here. Requesters have `_INBOX.<tenant>.<workspace>`; the two trees never meet, so that
 * no requester's permission can reach a reply of ours.
 */
export const serviceInboxPrefix = (name: string): string => `_AGENTSTRATION_INBOX.${name.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;

/**
 * Connects, and from then on reconnects for ever, also through changed credentials; a silent server is noticed after two
 * unanswered pings, 5 s apart. While the connection is down the client buffers what is published: whoever must not
 * publish late checks the answer, not the call.
 *
 * @throws Error when no server answers at first; its message names the setting.
 */
export async function connectNats(configuration: Configuration, options: NatsOptions): Promise<NatsConnection> {
  const { Nats, Logging } = configuration;
  const connection = await connect(connectionOptions(Nats, options.name)).catch((error: unknown) => {
    const servers = Nats.Servers.join(', ');
    throw new NoConnection(`No connection to NATS at ${servers} (Agentstration:Nats:Servers, Agentstration__Nats__Servers)`, error);
  });
  void logStatus(connection, createLogger(`${options.name}/nats`, Logging.Level));
  void connection.closed().then((error) => (error ? options.onClosed?.() : undefined));
  return connection;
}

class NoConnection extends Error {
  readonly explainsItself = true;

  constructor(message: string, cause: unknown) {
    super(`${message}: ${reasonOf(cause)}`, { cause });
  }
}

/** What went wrong at the socket or in the broker's greeting; the client puts it below an error of its own. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = (error ?? {}) as { cause?: unknown; code?: unknown; message?: unknown };
  if (cause !== undefined) return reasonOf(cause);
  return typeof code === 'string' ? code : typeof message === 'string' ? message : 'unknown';
}

function connectionOptions(nats: Nats, name: string): NodeConnectionOptions {
  return {
    servers: [...nats.Servers],
    name,
    inboxPrefix: serviceInboxPrefix(name),
    timeout: 5000,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
    pingInterval: 5000,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...authentication(nats),
    ...encryption(nats),
  };
}

function authentication(nats: Nats): { authenticator?: Authenticator } {
  const { User, Password, Token, NKeySeed, Credentials } = nats;
  if (User !== undefined) return { authenticator: usernamePasswordAuthenticator(User, fresh(Password, nats.PasswordFile)) };
  if (Token !== undefined) return { authenticator: tokenAuthenticator(fresh(Token, nats.TokenFile)) };
  if (NKeySeed !== undefined) return { authenticator: nkeyAuthenticator(bytes(fresh(NKeySeed, nats.NKeySeedFile))) };
  if (Credentials === undefined) return {};
  const credentials = fresh(Credentials, nats.CredentialsFile);
  // The client's parser wants the last line break, which a secret has lost.
  return { authenticator: credsAuthenticator(bytes(() => `${credentials()}\n`)) };
}

/** The secret at the time of each connection: a file may have been rotated since the start. */
const fresh =
  (secret: string | undefined, file: string | undefined): (() => string) =>
  () => {
    if (file === undefined) return secret ?? '';
    try {
      return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch {
      return secret ?? '';
    }
  };

const bytes =
  (text: () => string): (() => Uint8Array) =>
  () =>
    new TextEncoder().encode(text());

/** Any wish for TLS means TLS or nothing: the client refuses a server that offers none. */
function encryption({ Tls, Servers }: Nats): Pick<NodeConnectionOptions, 'tls'> {
  const { Enabled, CaFile, CertFile, KeyFile, HandshakeFirst } = Tls;
  const wanted =
    Enabled || HandshakeFirst || CaFile !== undefined || CertFile !== undefined || Servers.some((url) => url.startsWith('tls://'));
  if (!wanted) return {};
  return {
    tls: {
      handshakeFirst: HandshakeFirst,
      ...(CaFile === undefined ? {} : { caFile: CaFile }),
      ...(CertFile === undefined ? {} : { certFile: CertFile }),
      ...(KeyFile === undefined ? {} : { keyFile: KeyFile }),
    },
  };
}
