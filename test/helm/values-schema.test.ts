import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configurationSchema } from '@agentstration/service-kit';
import { verifies } from '@agentstration/test/verifies';

const file = join(import.meta.dirname, '../../helm/agentstration-tool-governance/values.schema.json');

type Schema = { [key: string]: unknown; properties?: Record<string, Schema> };

/** What the chart leads in by other ways: from Secrets, or by itself. */
const notValues: Readonly<Record<string, readonly string[]>> = {
  '': ['Database', 'DataDirectory'],
  Nats: ['User', 'Password', 'Token', 'NKeySeed', 'Credentials', 'PasswordFile', 'TokenFile', 'NKeySeedFile', 'CredentialsFile'],
  'Nats.Tls': ['CaFile', 'CertFile', 'KeyFile'],
};

/** The product's own schema, without defaults and without what must not stand in values. */
function valuesSchemaOf(schema: Schema, path: readonly string[] = []): Schema {
  const { default: _default, required: _required, properties, ...rest } = schema;
  if (!properties) return rest;
  const excluded = notValues[path.join('.')] ?? [];
  const kept = Object.entries(properties).filter(([key]) => !excluded.includes(key));
  return { ...rest, properties: Object.fromEntries(kept.map(([key, value]) => [key, valuesSchemaOf(value, [...path, key])])) };
}

/** A Pod has no loopback that others reach, so Development mode is refused; a Service needs a known port. */
function wantedSchema(): Schema {
  const schema = JSON.parse(JSON.stringify(valuesSchemaOf(configurationSchema as unknown as Schema))) as Schema;
  Object.assign(schema.properties?.Authentication?.properties?.Mode ?? {}, { enum: ['Jwt'] });
  Object.assign(schema.properties?.Http?.properties?.Port ?? {}, { minimum: 1 });
  return schema;
}

describe('the values schema', () => {
  /** `WRITE_REFERENCE=1` writes it instead of comparing it. */
  it(verifies('DEPLOY-005', 'knows exactly the configuration keys that the services know'), async () => {
    const schema = JSON.parse(await readFile(file, 'utf8')) as { properties: { configuration: unknown } };
    if (process.env.WRITE_REFERENCE === '1') {
      schema.properties.configuration = wantedSchema();
      await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
    }
    expect(schema.properties.configuration).toEqual(wantedSchema());
  });
});
