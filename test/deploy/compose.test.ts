import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Configuration, loadConfiguration } from '@agentstration/service-kit';
import { verifies } from '@agentstration/test/verifies';
import { type JSONWebKeySet, createLocalJWKSet, jwtVerify } from 'jose';
import { type ComposeFile, type ComposeService, deploy, readCompose, sourceOf } from './read-compose.ts';

const run = promisify(execFile);
const productServices = ['governance-projector', 'management-api', 'provision', 'tool-executor'];

describe('the compose file', () => {
  let compose: ComposeFile;
  /** A copy of `deploy/` whose secrets were made. */
  let folder: string;

  beforeAll(async () => {
    compose = await readCompose();
    folder = await mkdtemp(join(tmpdir(), 'agentstration-compose-'));
    await cp(deploy, folder, { recursive: true, filter: (path) => !path.endsWith('/secrets') });
    await run(process.execPath, [join(folder, 'create-secrets.mjs')]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const load = (name: string): Configuration => {
    const environment = Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [key, inCopy(value)]);
    return loadConfiguration({ environment: Object.fromEntries(environment) as NodeJS.ProcessEnv, directory: folder });
  };
  /** Where a path of a container is found in the copy. */
  const inCopy = (value: string): string =>
    value
      .replace(/^\/run\/secrets\//, `${folder}/secrets/`)
      .replace('/etc/agentstration/agentstration.json', `${folder}/agentstration.json`);

  it(verifies('DEPLOY-009', 'names only scripts, files, configs, secrets, volumes and services that exist'), () => {
    const scripts = productServices.map((name) => compose.services[name]?.command?.[1] ?? '');
    expect(scripts.filter((script) => !existsSync(sourceOf(script)))).toEqual([]);
    const files = Object.values({ ...compose.configs, ...compose.secrets }).map(({ file }) => join(folder, file));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(Object.entries(compose.services).flatMap(([name, service]) => unknownNames(name, service))).toEqual([]);
  });

  function unknownNames(name: string, service: ComposeService): string[] {
    const secrets = (service.secrets ?? []).filter((secret) => !(secret in compose.secrets));
    const configs = (service.configs ?? []).map(({ source }) => source).filter((source) => !(source in compose.configs));
    const dependencies = Object.keys(service.depends_on ?? {}).filter((other) => !(other in compose.services));
    const mounted = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    const volumes = mounted.filter((volume) => (volume.startsWith('.') ? !existsSync(join(folder, volume)) : !(volume in compose.volumes)));
    return [...secrets, ...configs, ...dependencies, ...volumes].map((unknown) => `${name}: ${unknown}`);
  }

  it(verifies('DEPLOY-009', 'builds the image from its Dockerfile'), () => {
    const builds = productServices.map((name) => compose.services[name]?.build);
    expect(new Set(builds.map((build) => JSON.stringify(build)))).toEqual(
      new Set([JSON.stringify({ context: '..', dockerfile: 'deploy/Dockerfile' })]),
    );
  });

  it(verifies('DEPLOY-001', 'checks the health of every service that stays, and starts the product after its provisioning'), () => {
    for (const [name, { healthcheck, depends_on: dependsOn }] of Object.entries(compose.services)) {
      if (name !== 'provision')
        expect({ name, test: healthcheck?.test }).toEqual({ name, test: expect.arrayContaining([expect.stringMatching(/^CMD/)]) });
      if (productServices.includes(name) && name !== 'provision')
        expect(dependsOn).toEqual({ provision: { condition: 'service_completed_successfully' } });
    }
    expect(compose.services.provision?.depends_on).toEqual({
      nats: { condition: 'service_healthy' },
      postgres: { condition: 'service_healthy' },
    });
  });

  it(verifies('DEPLOY-002', 'runs the product without root, privileges or a writable root file system'), () => {
    for (const name of productServices) {
      expect(compose.services[name]).toMatchObject({
        user: '1000:1000',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it(verifies('DEPLOY-003', 'holds no secret, and gives each service only its own'), () => {
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
      const secretive = Object.entries(environment).filter(([key]) => /url|password|token|seed|credential/i.test(key));
      expect(secretive.filter(([key, value]) => !/file$/i.test(key) || !secrets.includes(value.replace('/run/secrets/', '')))).toEqual([]);
      if (productServices.includes(name)) expect(secrets.filter((secret) => secret.startsWith('database-'))).toHaveLength(1);
    }
  });

  it.each(productServices)(
    verifies(['DEPLOY-005', 'DEPLOY-008'], 'configures %s so that it starts, with a database and NATS user of its own'),
    (name) => {
      const { Database, Nats, Http, Authentication } = load(name);
      expect(new URL(Database.Url)).toMatchObject({
        hostname: 'postgres',
        username: name === 'provision' ? 'migration' : name.replaceAll('-', '_'),
      });
      expect(Nats).toMatchObject({ Servers: ['nats://nats:4222'], User: name, Password: expect.stringMatching(/^.{32}$/) });
      expect(Http).toMatchObject({ Host: '0.0.0.0', Port: 5100 });
      expect(Authentication).toMatchObject({ Mode: 'Jwt', JwksFile: '/run/secrets/jwks.json' });
    },
  );

  it(verifies('DEPLOY-007', 'gives every container longer to end than its service may need'), () => {
    for (const name of ['management-api', 'tool-executor', 'governance-projector']) {
      const { Http, ToolExecution } = load(name);
      const needed = Http.ShutdownTimeoutMs + (name === 'tool-executor' ? ToolExecution.GracePeriodMs : 0);
      const given = /^(\d+)s$/.exec(compose.services[name]?.stop_grace_period ?? '')?.[1];
      expect(Number(given) * 1000).toBeGreaterThanOrEqual(needed + 10_000);
    }
  });

  it('is reached from this machine alone', () => {
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(published).toContain('127.0.0.1:5100:5100');
  });

  it('keeps the secrets that there are, closed to other users, and prints tokens that its services accept', async () => {
    const before = await readFile(join(folder, 'secrets/database-url-tool-executor'), 'utf8');
    await run(process.execPath, [join(folder, 'create-secrets.mjs')]);
    expect(await readFile(join(folder, 'secrets/database-url-tool-executor'), 'utf8')).toBe(before);
    expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'secrets/token-key.pem'))).mode & 0o777).toBe(0o600);

    const { stdout } = await run(process.execPath, [join(folder, 'create-token.mjs'), '--workspace', 'one', '--role', 'viewer']);
    const { Issuer, Audience, Algorithms } = load('management-api').Authentication;
    const keys = JSON.parse(await readFile(join(folder, 'secrets/jwks.json'), 'utf8')) as JSONWebKeySet;
    const expected = { issuer: Issuer ?? '', audience: Audience ?? '', algorithms: [...Algorithms] };
    const { payload } = await jwtVerify(stdout.trim(), createLocalJWKSet(keys), expected);
    expect(payload).toMatchObject({ tenant: 'acme', workspaces: ['one'], roles: ['viewer'], sub: 'operator' });
  });
});
