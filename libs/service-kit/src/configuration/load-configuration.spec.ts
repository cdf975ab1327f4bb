import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Configuration } from './configuration.ts';
import { ConfigurationError } from './configuration-error.ts';
import { loadConfiguration, readGivenConfiguration } from './load-configuration.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'configuration-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const minimal = {
  Agentstration__Database__Url: 'postgres://one:two@127.0.0.1:5432/three',
  Agentstration__Authentication__Issuer: 'https://issuer.example',
  Agentstration__Authentication__Audience: 'agentstration',
  Agentstration__Authentication__JwksUrl: 'https://issuer.example/jwks',
};

const load = (environment: NodeJS.ProcessEnv = {}): Configuration =>
  loadConfiguration({ environment: { ...minimal, ...environment }, directory });

function write(document: unknown, name = 'agentstration.json'): string {
  const path = join(directory, name);
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  return path;
}

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ key, variable, message }) => `${key}|${variable}|${message}`);
    throw error;
  }
  return [];
}
const only = (faults: string[]): string => {
  expect(faults).toHaveLength(1);
  return faults[0] ?? '';
};

describe('what is given', () => {
  it(verifies('CONF-007', 'nothing but what is required: the defaults of the contract'), () => {
    const { ToolExecution, Nats, Journal, Http, Authentication } = load();
    expect(ToolExecution).toMatchObject({
      PersistArguments: false,
      MaximumArgumentsLength: 16_384,
      MaximumConcurrency: 64,
      MaximumConcurrencyPerWorkspace: 16,
      HookTimeoutMs: 2000,
      PublishTimeoutMs: 3000,
      AckWaitMs: 10_000,
      LocalHookModules: [],
    });
    expect(Nats).toMatchObject({ Servers: ['nats://127.0.0.1:4222'], MonitoringUrls: [] });
    expect(Journal).toEqual({ RequiredDurability: 'process', Replicas: 1, MaximumBytes: 10_737_418_240 });
    expect(Http).toMatchObject({ Port: 5100, Host: '127.0.0.1' });
    expect(Authentication.Mode).toBe('Jwt');
  });

  it(verifies('CONF-001', 'agentstration.json is read when present, the named file instead of it, and others stay away'), () => {
    write({ Agentstration: { Http: { Port: 1 } }, Somebody: { Else: true } });
    const named = write({ Agentstration: { Http: { Port: 2 } } }, 'other.json');
    expect(load().Http.Port).toBe(1);
    expect(load({ AGENTSTRATION_CONFIG: named }).Http.Port).toBe(2);
    expect(load({ AGENTSTRATION_CONFIG: 'other.json' }).Http.Port).toBe(2);
    expect(only(faultsOf(() => load({ AGENTSTRATION_CONFIG: 'missing.json' })))).toMatch(/missing\.json\|AGENTSTRATION_CONFIG\|.*ENOENT/);
  });

  it.each([
    ['Agentstration__ToolExecution__PersistArguments', 'true', ['ToolExecution', 'PersistArguments'], true],
    ['Agentstration__ToolExecution__PersistArguments', 'False', ['ToolExecution', 'PersistArguments'], false],
    ['AGENTSTRATION__TOOLEXECUTION__PERSISTARGUMENTS', 'TRUE', ['ToolExecution', 'PersistArguments'], true],
    ['Agentstration__Http__Port', '0', ['Http', 'Port'], 0],
    ['Agentstration__Nats__Servers', '["nats://a:1","nats://b:2"]', ['Nats', 'Servers'], ['nats://a:1', 'nats://b:2']],
    ['Agentstration__Nats__Servers__0', 'nats://c:3', ['Nats', 'Servers'], ['nats://c:3']],
    ['Agentstration__Journal', '{"Replicas":3}', ['Journal', 'Replicas'], 3],
    ['Agentstration__Extensions__sample.Hello__Endpoint', 'http://x', ['Extensions', 'sample.Hello', 'Endpoint'], 'http://x'],
  ])(verifies('CONF-002', '%s=%s'), (variable, text, path, value) => {
    write({ Agentstration: { Extensions: { 'sample.Hello': { Endpoint: 'http://file', Workspaces: ['*'] } } } });
    const found = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], load({ [variable]: text }));
    expect(found).toEqual(value);
  });

  it(verifies('CONF-002', 'an index changes one entry of the file’s list, or adds one, in the order of the indices'), () => {
    write({ Agentstration: { Nats: { Servers: ['nats://a:1', 'nats://b:2'] } } });
    expect(load({ Agentstration__Nats__Servers__1: 'nats://x:1' }).Nats.Servers).toEqual(['nats://a:1', 'nats://x:1']);
    const eleven = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`Agentstration__Nats__Servers__${index}`, `nats://h:${index}`]),
    );
    expect(load(eleven).Nats.Servers).toHaveLength(11);
    expect(load(eleven).Nats.Servers[10]).toBe('nats://h:10');
    expect(only(faultsOf(() => load({ Agentstration__Nats__Servers__9: 'nats://x:1' })))).toMatch(/Servers:9\|.*gap/);
  });

  it(verifies('CONF-011', 'keys of maps keep their case, even strange ones'), () => {
    const { ToolProviders } = load({
      Agentstration__ToolProviders__Stdio__Everything__Command: 'node',
      Agentstration__ToolProviders__Stdio__Everything__Workspaces: '["*"]',
      Agentstration__ToolProviders__Stdio__Everything__Environment__PATH_EXTRA: '/x',
      Agentstration__ToolProviders__Stdio__constructor__Command: 'node',
      Agentstration__ToolProviders__Stdio__constructor__Workspaces__0: 'local/demo',
    });
    expect(ToolProviders.Stdio).toEqual({
      Everything: { Command: 'node', Arguments: [], Environment: { PATH_EXTRA: '/x' }, Workspaces: ['*'] },
      constructor: { Command: 'node', Arguments: [], Environment: {}, Workspaces: ['local/demo'] },
    });
  });

  it('a host may bring defaults of its own, which file and environment override', () => {
    const defaults = { Database: { Url: 'postgres://embedded' }, Nats: { Servers: ['nats://own:1'] }, Http: { Port: 7 } };
    write({ Agentstration: { Http: { Port: 8 } } });
    const environment = { ...minimal, Agentstration__Database__Url: undefined };
    const found = loadConfiguration({ environment, directory, defaults });
    expect([found.Database.Url, found.Nats.Servers, found.Http.Port]).toEqual(['postgres://embedded', ['nats://own:1'], 8]);
    expect(readGivenConfiguration({ environment: {}, directory })).toEqual({ Http: { Port: 8 } });
    expect(only(faultsOf(() => readGivenConfiguration({ environment: { Agentstration__Http__Port: '-1' }, directory })))).toContain(
      'Http:Port',
    );
  });

  it('nobody can change it', () => {
    expect(() => ((load().Nats.Servers as string[])[0] = 'x')).toThrow(TypeError);
  });
});

describe('secrets', () => {
  it(verifies('CONF-006', 'from files, of which one final line break is dropped'), () => {
    write('first line\nsecond\n', 'password');
    const environment = { ...minimal, Agentstration__Database__Url: undefined };
    write(minimal.Agentstration__Database__Url, 'url');
    const found = loadConfiguration({
      environment: {
        ...environment,
        Agentstration__Database__UrlFile: 'url',
        Agentstration__Nats__User: 'me',
        Agentstration__Nats__PasswordFile: 'password',
      },
      directory,
    });
    expect(found.Nats.Password).toBe('first line\nsecond');
    expect(found.Database.Url).toBe(minimal.Agentstration__Database__Url);
    expect(found.Database.UrlFile).toBe(join(directory, 'url'));
  });

  it(verifies('CONF-006', 'the environment’s way wins over the file’s; two ways in one place are refused'), () => {
    write({ Agentstration: { Nats: { User: 'me', PasswordFile: 'nowhere' } } });
    expect(load({ Agentstration__Nats__Password: 'given' }).Nats.Password).toBe('given');
    const twice = { Agentstration__Nats__Password: 'given', Agentstration__Nats__PasswordFile: 'nowhere' };
    expect(faultsOf(() => load(twice)).join()).toMatch(/is given twice/);
    write({ Agentstration: { Nats: { User: 'me', PasswordFile: 'nowhere', Password: 'given' } } });
    expect(only(faultsOf(load))).toMatch(/PasswordFile\|.*together with Password/);
  });

  it(verifies('CONF-006', 'the file’s way wins over what a host brings'), () => {
    write('postgres://from-a-file', 'url');
    write({ Agentstration: { Database: { UrlFile: 'url' } } });
    const environment = { ...minimal, Agentstration__Database__Url: undefined };
    expect(loadConfiguration({ environment, directory, defaults: { Database: { Url: 'postgres://embedded' } } }).Database.Url).toBe(
      'postgres://from-a-file',
    );
  });

  it(verifies('CONF-006', 'a file that is missing or empty is a fault'), () => {
    write('\n', 'empty');
    const faults = faultsOf(() => load({ Agentstration__Nats__TokenFile: 'nowhere', Agentstration__Nats__CredentialsFile: 'empty' }));
    expect(faults).toEqual([expect.stringMatching(/TokenFile\|.*ENOENT/), expect.stringMatching(/CredentialsFile\|.*not empty/)]);
  });
});
