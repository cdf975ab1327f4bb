import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, startNatsServer, type NatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';
import { generate } from 'selfsigned';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { connectNats, serviceInboxPrefix } from './connect-nats.ts';

let directory: string;
const servers: NatsServer[] = [];
const connections: NatsConnection[] = [];
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'connect-nats-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(configuration?: string): Promise<NatsServer> {
  const server = await startNatsServer(configuration === undefined ? {} : { configuration });
  servers.push(server);
  return server;
}

async function connect(url: string, settings: Record<string, string> = {}, onClosed?: () => void): Promise<NatsConnection> {
  const environment = {
    Agentstration__Database__Url: 'postgres://nobody@127.0.0.1:1/nothing',
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__Logging__Level: 'silent',
    Agentstration__Nats__Servers__0: url,
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`Agentstration__Nats__${key}`, value])),
  };
  const configuration = loadConfiguration({ environment, directory });
  const connection = await connectNats(configuration, { name: 'spec', ...(onClosed ? { onClosed } : {}) });
  connections.push(connection);
  return connection;
}

const file = async (name: string, content: string): Promise<string> => {
  await writeFile(join(directory, name), content);
  return name;
};
const works = (connection: NatsConnection): Promise<void> => connection.flush();

describe('connectNats', () => {
  it(verifies('SERVICE-005', 'comes back after the broker was restarted or killed, with its subscriptions'), async () => {
    const server = await serve();
    let closed = 0;
    const connection = await connect(server.url, {}, () => closed++);
    const other = await connect(server.url);
    const received: string[] = [];
    connection.subscribe('spec.subject', { callback: (_, message) => void received.push(message.string()) });
    await works(connection);
    await server.kill();
    await eventually(() => expect(connection.isClosed()).toBe(false));
    await server.restart();
    await eventually(async () => {
      other.publish('spec.subject', 'again');
      await other.flush();
      expect(received).toContain('again');
    });
    await connection.close();
    expect(closed).toBe(0);
  });

  it(verifies('SERVICE-005', 'its replies come to a prefix that no requester has'), async () => {
    const server = await serve();
    const connection = await connect(server.url);
    const replies: string[] = [];
    connection.subscribe('spec.call', {
      callback: (_, message) => {
        replies.push(message.reply ?? '');
        message.respond('done');
      },
    });
    expect((await connection.request('spec.call', '', { timeout: 2000 })).string()).toBe('done');
    expect(replies[0]).toMatch(/^_AGENTSTRATION_INBOX\.spec\./);
    expect(serviceInboxPrefix('a.b>*')).toBe('_AGENTSTRATION_INBOX.a-b--');
  });

  it('no server: the message names the setting', async () => {
    await expect(connect(`nats://127.0.0.1:${await freePort()}`)).rejects.toThrow(/No connection to NATS at .*Agentstration:Nats:Servers/);
  });

  it.each([
    [
      'user and password',
      'authorization { user: me, password: "s3cret" }',
      { User: 'me', Password: 's3cret' },
      { User: 'me', Password: 'wrong' },
    ],
    ['a token', 'authorization { token: "s3cret" }', { Token: 's3cret' }, { Token: 'wrong' }],
  ])(verifies('SERVICE-006', 'authenticates by %s'), async (_, configuration, right, wrong) => {
    const server = await serve(configuration);
    await works(await connect(server.url, right));
    await expect(connect(server.url, wrong)).rejects.toThrow('No connection to NATS');
    await expect(connect(server.url)).rejects.toThrow('No connection to NATS');
  });

  it(
    verifies(['SERVICE-005', 'SERVICE-006'], 'a rotated password file is read at the next connection; a wrong one is no end'),
    async () => {
      const server = await serve('authorization { user: me, password: "right" }');
      let closed = 0;
      const connection = await connect(server.url, { User: 'me', PasswordFile: await file('password', 'right\n') }, () => closed++);
      let refused = 0;
      void (async () => {
        for await (const status of connection.status()) if (status.type === 'error') refused++;
      })();
      await file('password', 'wrong\n');
      await server.restart();
      await eventually(() => expect(refused).toBeGreaterThan(2));
      await file('password', 'right\n');
      await eventually(() => works(connection));
      expect(closed).toBe(0);
    },
  );

  it(verifies('SERVICE-006', 'authenticates by NKey'), async () => {
    const user = createUser();
    const server = await serve(`authorization { users: [{ nkey: ${user.getPublicKey()} }] }`);
    await works(await connect(server.url, { NKeySeedFile: await file('seed', `${seedOf(user)}\n`) }));
    await expect(connect(server.url, { NKeySeed: seedOf(createUser()) })).rejects.toThrow('No connection to NATS');
  });

  it(verifies('SERVICE-006', 'authenticates by JWT credentials'), async () => {
    const [operator, account, user] = [createOperator(), createAccount(), createUser()];
    const operatorJwt = encodeJwt({ sub: operator, by: operator, name: 'operator', nats: { type: 'operator', version: 2 } });
    const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const accountJwt = encodeJwt({ sub: account, by: operator, name: 'account', nats: { type: 'account', version: 2, limits } });
    const userJwt = encodeJwt({
      sub: user,
      by: account,
      name: 'user',
      nats: { type: 'user', version: 2, subs: -1, data: -1, payload: -1 },
    });
    const system = createAccount();
    const systemJwt = encodeJwt({ sub: system, by: operator, name: 'system', nats: { type: 'account', version: 2, limits } });
    const accounts = `${account.getPublicKey()}: "${accountJwt}", ${system.getPublicKey()}: "${systemJwt}"`;
    const server = await serve(
      `operator: "${operatorJwt}"\nsystem_account: ${system.getPublicKey()}\nresolver: MEMORY\nresolver_preload: { ${accounts} }`,
    );
    const credentials = [
      '-----BEGIN NATS USER JWT-----',
      userJwt,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seedOf(user),
      '------END USER NKEY SEED------',
      '',
    ].join('\n');
    await works(await connect(server.url, { CredentialsFile: await file('user.creds', credentials) }));
    await expect(connect(server.url)).rejects.toThrow('No connection to NATS');
  });

  it(verifies('SERVICE-006', 'encrypts, with a client certificate, or does not connect'), async () => {
    const pair = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    await file('key.pem', pair.private);
    await file('cert.pem', pair.cert);
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const secured = await serve(`tls { cert_file: "${certificate}", key_file: "${key}", ca_file: "${certificate}", verify: true }`);
    const url = `tls://localhost:${secured.port}`;
    await works(await connect(url, { Tls__CaFile: certificate, Tls__CertFile: certificate, Tls__KeyFile: key }));
    await expect(connect(url, { Tls__CaFile: certificate })).rejects.toThrow('No connection to NATS');
    await expect(connect(url)).rejects.toThrow('No connection to NATS');
    const open = await serve();
    await works(await connect(open.url));
    await expect(connect(open.url, { Tls__Enabled: 'true' })).rejects.toThrow('No connection to NATS');
  });
});

const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed());

/** A NATS JWT: like any other, but signed with an NKey. */
function encodeJwt({ sub, by, ...claims }: { sub: KeyPair; by: KeyPair; name: string; nats: object }): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const body = { jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), iss: by.getPublicKey(), sub: sub.getPublicKey(), ...claims };
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(body)}`;
  return `${signed}.${Buffer.from(by.sign(new TextEncoder().encode(signed))).toString('base64url')}`;
}
