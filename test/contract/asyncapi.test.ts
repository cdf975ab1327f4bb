import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelRequestSchema,
  compileSchema,
  deadLetterSchema,
  factSchemas,
  resultSubject,
  runJournalSubject,
  streams,
  subjectFilters,
  toolCallJournalSubject,
  toolRequestSchema,
  toolResultSchema,
} from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { parse, parseDocument } from 'yaml';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'docs/reference/asyncapi.yaml');

interface Channel {
  readonly address?: string;
  readonly description: string;
  readonly parameters?: object;
  readonly messages: object;
}
interface Message {
  readonly payload: { readonly $ref?: string };
  readonly contentType?: string;
  readonly examples?: readonly { readonly payload: unknown }[];
}
interface AsyncApi {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, object>>;
    readonly parameters: object;
  };
}

const factName = (type: string): string => type.replace(/^io\.agentstration\.(\w+)\.v1$/, '$1');

/** The schemas that the code checks by, as plain data. */
const schemas = JSON.parse(
  JSON.stringify({
    ToolRequest: toolRequestSchema,
    ToolResult: toolResultSchema,
    CancelRequest: cancelRequestSchema,
    DeadLetter: deadLetterSchema,
    ...Object.fromEntries(Object.entries(factSchemas).map(([type, schema]) => [factName(type), schema])),
  }),
) as Record<string, object>;

describe('docs/reference/asyncapi.yaml', () => {
  let document: AsyncApi;

  beforeAll(async () => {
    if (process.env.WRITE_REFERENCE === '1') {
      const yaml = parseDocument(await readFile(file, 'utf8'));
      yaml.setIn(['components', 'schemas'], yaml.createNode(schemas, { aliasDuplicateObjects: false }));
      await writeFile(file, yaml.toString({ lineWidth: 120 }));
    }
    document = parse(await readFile(file, 'utf8'), { uniqueKeys: true }) as AsyncApi;
  });

  /** `WRITE_REFERENCE=1` writes them instead of comparing them. */
  it(verifies('HOUSE-004', 'holds the schemas that the code checks by'), () => {
    expect(document.components.schemas).toEqual(schemas);
  });

  it(verifies('HOUSE-004', 'has the subjects of the code, and no other'), () => {
    const scope = { tenantId: '{tenant}', workspaceId: '{workspace}' };
    const call = { ...scope, ownerKind: 'RuntimeRun', runId: 'RUN', toolCallId: 'CALL' } as const;
    const template = (subject: string): string =>
      subject.replace('.runtime.', '.{ownerKind}.').replace('RUN', '{runId}').replace('CALL', '{toolCallId}');
    const fixed = Object.values(subjectFilters)
      .filter((filter) => !filter.endsWith('>'))
      .map((filter) => filter.replace('*', '{tenant}').replace('*', '{workspace}'));
    const wanted = [...fixed, ...[resultSubject(call), toolCallJournalSubject(call), runJournalSubject(call)].map(template)];
    const addresses = Object.values(document.channels).flatMap(({ address }) => (address === undefined ? [] : [address]));
    expect(addresses.sort()).toEqual(wanted.sort());
  });

  it(verifies('HOUSE-004', 'names every stream, and describes every parameter of a subject'), () => {
    const text = JSON.stringify(document.channels);
    expect(Object.values(streams).filter((stream) => !text.includes(stream))).toEqual([]);
    for (const { address, parameters = {} } of Object.values(document.channels)) {
      const named = [...(address ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(parameters)).toEqual(named);
    }
  });

  it(verifies('HOUSE-004', 'gives facts as CloudEvents, and examples that its schemas take'), () => {
    for (const [name, { payload, contentType, examples = [] }] of Object.entries(document.components.messages)) {
      if (`io.agentstration.${name}.v1` in factSchemas) expect(contentType).toBe('application/cloudevents+json');
      if (payload.$ref !== undefined) expect(payload.$ref).toBe(`#/components/schemas/${name}`);
      const { $id: _id, ...schema } = (document.components.schemas[name] ?? {}) as { $id?: string };
      for (const example of examples) expect(compileSchema(schema)(example.payload)).toEqual([]);
    }
  });

  it(
    verifies('HOUSE-004', 'is a valid AsyncAPI 3 document'),
    async () => {
      const { exitCode, output } = await lint();
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('valid') });
    },
    60_000,
  );
});

/** Redocly's linter, by the rules of the specification alone. */
function lint(): Promise<{ exitCode: number; output: string }> {
  const command = [join(root, 'node_modules/.bin/redocly'), 'lint', file, '--extends', 'spec'];
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1', CI: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env, cwd: root }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? (typeof error.code === 'number' ? error.code : -1) : 0, output: `${stdout}${stderr}` });
    });
  });
}
