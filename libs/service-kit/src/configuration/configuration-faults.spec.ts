import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkMaximumArgumentsLength } from './check-maximum-arguments-length.ts';
import { ConfigurationError } from './configuration-error.ts';
import { loadConfiguration } from './load-configuration.ts';
import { type SchemaNode, configurationRoot, mapEntry } from './schema-node.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'configuration-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const minimal = {
  Database: { Url: 'postgres://one:two@127.0.0.1:5432/three' },
  Authentication: { Issuer: 'https://issuer.example', Audience: 'agentstration', JwksUrl: 'https://issuer.example/jwks' },
};

function write(text: string): void {
  writeFileSync(join(directory, 'agentstration.json'), text);
}
const writeSections = (sections: object): void => write(JSON.stringify({ Agentstration: { ...minimal, ...sections } }));

function refusal(environment: NodeJS.ProcessEnv = {}): string {
  try {
    loadConfiguration({ environment, directory });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['a wrong type', { Http: { Port: 'x' } }, 'Agentstration:Http:Port (Agentstration__Http__Port) must be an integer from 0 to 65535'],
    ['out of range', { ToolExecution: { MaximumArgumentsLength: 63 } }, 'must be an integer from 64 to 1048576'],
    ['a fraction', { Http: { Port: 1.5 } }, 'must be an integer from 0 to 65535'],
    ['a section that is none', { Http: [] }, 'Agentstration:Http (Agentstration__Http) must be an object'],
    ['no such choice', { Journal: { RequiredDurability: 'disk' } }, 'must be one of process, power'],
    ['HMAC', { Authentication: { ...minimal.Authentication, Algorithms: ['HS256'] } }, 'Authentication:Algorithms:0'],
    ['no signature', { Authentication: { ...minimal.Authentication, Algorithms: ['none'] } }, 'must be one of RS256'],
    ['credentials in a URL', { Nats: { Servers: ['nats://me:secret@host'] } }, 'without user and password'],
    ['a typing error', { ToolExecution: { HookTimeoutMS: 5 } }, 'did you mean Agentstration:ToolExecution:HookTimeoutMs?'],
    ['a key elsewhere', { Nats: { RequiredDurability: 'process' } }, 'did you mean Agentstration:Journal:RequiredDurability?'],
    ['a stranger', { Http: { Flavour: 1 } }, 'is not a known key; known there: Host, Port, ShutdownTimeoutMs'],
    ['a stranger on top', { Htpt: {} }, 'did you mean Agentstration:Http?'],
    [
      'a profile without workspaces',
      { ToolProviders: { Stdio: { a: { Command: 'x' } } } },
      'Stdio:a:Workspaces (Agentstration__ToolProviders__Stdio__a__Workspaces) is required',
    ],
    ['no workspace', { Extensions: { a: { Endpoint: 'http://x', Workspaces: ['a/b/c'] } } }, 'Extensions:a:Workspaces:0'],
    ['an illegal name', { Extensions: { '-a': { Endpoint: 'http://x', Workspaces: [] } } }, 'is not a legal name'],
    [
      'a private network that is none',
      { ToolProviders: { AllowedPrivateHosts: ['10.0.0.0/99'] } },
      'must be host:port, *.suffix or a CIDR block',
    ],
    ['no key source', { Authentication: { Issuer: 'i', Audience: 'a' } }, 'Authentication:JwksUrl'],
    ['two key sources', { Authentication: { ...minimal.Authentication, JwksFile: 'x' } }, 'must not be given together with JwksUrl'],
    ['two ways in', { Nats: { Token: 'a', NKeySeed: 'b' } }, 'one way to authenticate'],
    ['a user without password', { Nats: { User: 'a' } }, 'is required with User'],
    ['half a certificate', { Nats: { Tls: { CertFile: 'a' } } }, 'Tls:KeyFile'],
    ['power without a look', { Journal: { RequiredDurability: 'power' } }, 'Nats:MonitoringUrls'],
    ['Development for everybody', { Authentication: { Mode: 'Development' }, Http: { Host: '0.0.0.0' } }, 'must be a loopback address'],
  ])(verifies(['CONF-004', 'CONF-005', 'CONF-010'], '%s'), (_, sections, message) => {
    writeSections(sections);
    expect(refusal()).toContain(message);
  });

  it.each([
    ['Agentstration__Http__Port', '1e3', 'must be an integer'],
    ['Agentstration__Http__Port', '', 'must be an integer'],
    ['Agentstration__ToolExecution__PersistArguments', 'yes', 'must be true or false'],
    ['Agentstration__ToolExecution__PersistArguments', 'constructor', 'must be true or false'],
    ['Agentstration__Nats__Servers', 'nats://a', 'must be a list of at least 1'],
    ['Agentstration__Nats__Servers', '["a","a', 'as JSON'],
    ['Agentstration__Nats__Servers__first', 'nats://a', 'index of a list'],
    ['Agentstration__Nats__Servers__99999999999', 'nats://a', 'gap'],
    ['Agentstration__Http__Port__Number', '1', 'Agentstration:Http:Port is a single value'],
    ['Agentstration__HttpPort', '1', 'is not a known key'],
    ['Agentstration__', 'x', 'is not a known key'],
    ['Agentstration__Nats__Password', '', 'text that is not empty'],
  ])(verifies(['CONF-002', 'CONF-005'], '%s=%s'), (variable, text, message) => {
    writeSections({});
    expect(refusal({ [variable]: text })).toContain(message);
  });

  it(verifies('CONF-004', 'everything at once, and never a value'), () => {
    writeSections({ Database: {}, Http: { Port: 70_000 }, Nats: { Token: 5 }, Unknown: { a: 'canary' } });
    const found = refusal({ Agentstration__Logging__Level: 'canary', Agentstration__Journal__Replicas: 'canary', NODE_ENV: 'production' });
    for (const key of ['Database:Url', 'Http:Port', 'Nats:Token', 'Unknown', 'Logging:Level', 'Journal:Replicas']) {
      expect(found).toContain(`Agentstration:${key} (`);
    }
    expect(found.split('\n')).toHaveLength(7);
    expect(found).not.toContain('canary');
    expect(found).not.toContain('70000');
  });

  it(verifies('CONF-010', 'rules are asked although other keys are wrong'), () => {
    writeSections({ Authentication: { Issuer: 'i', JwksUrl: 'https://x' }, Http: { Port: -1 } });
    expect(refusal()).toContain('Authentication:Audience');
    expect(refusal()).toContain('Http:Port');
  });

  it(verifies('AUTH-012', 'Development with NODE_ENV=production'), () => {
    writeSections({ Authentication: { Mode: 'Development' } });
    expect(refusal()).toBe('');
    expect(refusal({ NODE_ENV: 'production' })).toContain('Agentstration:Authentication:Mode');
  });

  it.each([
    ['{"Agentstration":{"Http":{"Port":1,"Port":2}}}', 'Duplicate key at /Agentstration/Http/Port'],
    ['{"Agentstration":{"Journal":{"MaximumBytes":9007199254740993}}}', 'changes when read as a double'],
    ['{"Agentstration":', 'must be JSON'],
    ['{"Agentstration":[]}', 'must hold an object "Agentstration"'],
    ['[]', 'must hold an object "Agentstration"'],
    ['{"Agentstration":{"__proto__":{"Http":1}}}', 'Agentstration:__proto__'],
  ])(verifies('CONF-008', 'the file %s'), (text, message) => {
    write(text);
    expect(refusal()).toContain(message);
  });
});

it(verifies('CONF-009', 'arguments whose facts might not fit a message'), () => {
  writeSections({ ToolExecution: { MaximumArgumentsLength: 300_000 } });
  const configuration = loadConfiguration({ environment: {}, directory });
  const needed = 3 * 300_000 + 128 * 1024;
  expect(() => checkMaximumArgumentsLength(configuration, needed)).not.toThrow();
  expect(() => checkMaximumArgumentsLength(configuration, needed - 1)).toThrow(/MaximumArgumentsLength.*at most 299999/);
  expect(() => checkMaximumArgumentsLength(configuration, 1000)).toThrow(/max_payload of 1000 bytes is too small/);
});

describe('an override by environment', () => {
  /** Any value that the schema allows there; what rules and patterns demand is left out of the choice. */
  function valueOf(node: SchemaNode): fc.Arbitrary<unknown> {
    if (node.enum) return fc.constantFrom(...node.enum);
    if (node.pattern !== undefined) return fc.constant(undefined);
    switch (node.type) {
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: node.minimum, max: Math.min(node.maximum ?? 0, 2 ** 31 - 1) });
      case 'array':
        return fc.array(valueOf(node.items ?? {}), { minLength: node.minItems ?? 0, maxLength: node.maxItems ?? 5 });
      default:
        return fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed());
    }
  }
  const paths = (node: SchemaNode, path: string[] = []): [string[], SchemaNode][] => {
    const map = mapEntry(node);
    if (map) return paths(map.value, [...path, 'Some.Name']);
    if (!node.properties) return node.type === 'object' ? [] : [[path, node]];
    return Object.entries(node.properties).flatMap(([key, child]) => paths(child, [...path, key]));
  };
  const keys = paths(configurationRoot).filter(
    ([path]) => !/File$|Directory$|Environment|Mode$|Stdio|Secrets|Extensions|^(?:Nats|Database)$/.test(path.join()),
  );
  const scenario = fc.constantFrom(...keys).chain(([path, node]) => fc.record({ path: fc.constant(path), value: valueOf(node) }));
  const nest = (path: readonly string[], value: unknown): object =>
    path.reduceRight<unknown>((below, key) => ({ [key]: below }), value) as object;
  const outcome = (sections: object, environment: NodeJS.ProcessEnv): unknown => {
    writeSections(sections);
    try {
      return loadConfiguration({ environment, directory });
    } catch (error) {
      return (error as ConfigurationError).faults;
    }
  };

  it(verifies('CONF-003', 'means the same as the value in the file, whole and by index'), () => {
    fc.assert(
      fc.property(scenario, ({ path, value }) => {
        fc.pre(value !== undefined && !(Array.isArray(value) && value.includes(undefined)));
        const [top = '', ...rest] = path;
        const below = { ...(minimal as Record<string, object>)[top] };
        const [inFile, variable] = [{ [top]: { ...below, ...nest(rest, value) } }, ['Agentstration', ...path].join('__')];
        const expected = outcome(inFile, {});
        expect(outcome({}, { [variable]: typeof value === 'string' ? value : JSON.stringify(value) })).toEqual(expected);
        if (!Array.isArray(value) || value.length === 0) return;
        const entries = value.map((entry, index): [string, string] => [`${variable}__${index}`, String(entry)]);
        expect(outcome({}, Object.fromEntries(entries))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
