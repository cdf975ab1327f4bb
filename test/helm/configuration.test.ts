import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Configuration, loadConfiguration } from '@agentstration/service-kit';
import { verifies } from '@agentstration/test/verifies';
import { type Manifest, type PodSpec, leastValues, podsOf, render } from './render.ts';

const natsSecrets = {
  credentials: '-----BEGIN NATS USER JWT-----',
  nkey: 'SUANATSSEED',
  token: 'token',
  user: 'password',
};

/** Starts a service of the rendered chart as far as its configuration: with its environment and its mounted files. */
describe('the configuration that the chart renders', () => {
  let container: string;

  beforeEach(async () => {
    container = await mkdtemp(join(tmpdir(), 'agentstration-pod-'));
  });
  afterEach(() => rm(container, { recursive: true, force: true }));

  async function load(manifests: readonly Manifest[], pod: PodSpec): Promise<Configuration> {
    const files = filesOf(manifests, pod);
    for (const [path, content] of files) {
      await mkdir(dirname(join(container, path)), { recursive: true });
      await writeFile(join(container, path), content);
    }
    const inContainer = (value: string): string => (value.startsWith('/') ? join(container, value) : value);
    const environment = Object.fromEntries(pod.containers[0].env.map(({ name, value = '' }) => [name, inContainer(value)]));
    return loadConfiguration({ environment, directory: container });
  }

  it.each(['none', 'credentials', 'nkey', 'token', 'user'] as const)(
    verifies(['DEPLOY-005', 'DEPLOY-008'], 'is understood by every service, with NATS method %s'),
    async (method) => {
      const manifests = await render({ ...leastValues, secrets: { nats: { method } } });
      for (const [component, pod] of podsOf(manifests)) {
        const { Database, Http, Nats, Authentication } = await load(manifests, pod);
        expect(Database.Url).toBe(`postgres://agentstration-database-${component === 'provision' ? 'migration' : component}/url`);
        expect(Http).toMatchObject({ Host: '0.0.0.0', Port: 5100 });
        expect(Authentication).toMatchObject({ Mode: 'Jwt', Issuer: 'https://login.example' });
        const { User, Password, Token, NKeySeed, Credentials } = Nats;
        const expected = {
          none: {},
          credentials: { Credentials: natsSecrets.credentials },
          nkey: { NKeySeed: natsSecrets.nkey },
          token: { Token: natsSecrets.token },
          user: { User: component, Password: natsSecrets.user },
        }[method];
        expect(JSON.parse(JSON.stringify({ User, Password, Token, NKeySeed, Credentials }))).toEqual(expected);
      }
    },
  );

  it(verifies('DEPLOY-005', 'arrives unchanged, large numbers and names of one’s own included'), async () => {
    const given = {
      Journal: { MaximumBytes: 9_007_199_254_740_991 },
      ToolExecution: { RedeliveryDelaysMs: [1, 2], LocalHookModules: ['/hooks/budget.js'] },
      Extensions: { 'Sample.Hello': { Endpoint: 'http://hello', Workspaces: ['acme/demo'] } },
      Logging: { Level: 'debug' },
    };
    const manifests = await render({ configuration: { ...leastValues.configuration, ...given } });
    for (const pod of podsOf(manifests).values()) expect(await load(manifests, pod)).toMatchObject(given);
  });

  it(verifies('DEPLOY-005', 'finds the certificates of NATS where it looks for them'), async () => {
    const tls = { existingSecret: 'nats-client', certKey: 'client.crt', keyKey: 'client.key' };
    const manifests = await render({ ...leastValues, secrets: { nats: { tls } } });
    for (const pod of podsOf(manifests).values()) {
      const { Nats } = await load(manifests, pod);
      const mounted = filesOf(manifests, pod);
      for (const path of [Nats.Tls.CaFile, Nats.Tls.CertFile, Nats.Tls.KeyFile])
        expect(mounted.has((path ?? '').slice(container.length))).toBe(true);
    }
  });
});

/** What kubelet would mount: path -> content. Every Secret entry holds a value that its reader accepts. */
function filesOf(manifests: readonly Manifest[], { containers, volumes }: PodSpec): Map<string, string> {
  const method =
    containers[0].env.map(({ name }) => name).find((name) => /Nats__(?:Credentials|NKeySeed|Token|Password)File/.test(name)) ?? '';
  const natsSecret = /NKey/.test(method)
    ? natsSecrets.nkey
    : /Token/.test(method)
      ? natsSecrets.token
      : /Password/.test(method)
        ? natsSecrets.user
        : natsSecrets.credentials;
  const files = volumes.flatMap((volume): [string, string, string][] => {
    const data = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === volume.configMap?.name)?.data ?? {};
    const secrets = volume.projected?.sources.map(({ secret }) => secret) ?? [];
    const own = volume.secret ? [{ name: volume.secret.secretName, items: volume.secret.items ?? [] }] : [];
    return [
      ...Object.entries(data).map(([path, content]): [string, string, string] => [volume.name, path, content]),
      ...[...secrets, ...own].flatMap(({ name, items }) =>
        items.map(({ key, path }): [string, string, string] => [
          volume.name,
          path,
          path === 'nats' ? natsSecret : `postgres://${name}/${key}`,
        ]),
      ),
    ];
  });
  return new Map(
    containers[0].volumeMounts.flatMap(({ name, mountPath, subPath }) =>
      files
        .filter(([volume, path]) => volume === name && (subPath === undefined || subPath === path))
        .map(([, path, content]) => [subPath === undefined ? join(mountPath, path) : mountPath, content] as const),
    ),
  );
}
