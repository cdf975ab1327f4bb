import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { problems } from '@agentstration/contracts';
import { type Permission, type Role, permissions, roles } from '@agentstration/service-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, startManagement } from './management-rig.ts';
import { type OpenApi, operationsOf } from './openapi-operations.ts';

let rig: ManagementRig;
let document: OpenApi;
beforeAll(async () => {
  rig = await startManagement();
  document = JSON.parse((await rig.call('GET', '/openapi.json', { token: null })).text) as OpenApi;
}, 240_000);
afterAll(() => rig?.stop());

describe('the OpenAPI document', () => {
  it(
    verifies('API-003', 'is OpenAPI 3.1 without a finding of the linter'),
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'openapi-'));
      try {
        await writeFile(join(directory, 'openapi.json'), JSON.stringify(document));
        await writeFile(
          join(directory, 'redocly.yaml'),
          // Where the service runs and how it is licensed is not for the document to say.
          'extends: [recommended-strict]\nrules: { info-license: off, no-empty-servers: off, operation-4xx-response: error }\n',
        );
        const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly');
        const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
        const { stdout, stderr } = await promisify(execFile)(redocly, ['lint', 'openapi.json'], { cwd: directory, env: environment });
        expect(`${stdout}${stderr}`).toMatch(/Your API description is valid/);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    240_000,
  );

  it(verifies('API-003', 'has every route of the contract'), () => {
    const routes = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
    const resources = (path: string, made: boolean) => [
      ...['GET', ...(made ? ['POST'] : [])].map((method) => `${method} /api/${path}`),
      ...['GET', 'PUT', 'PATCH', ...(made ? ['DELETE'] : [])].map((method) => `${method} /api/${path}/{name}`),
      ...['', '/{generation}'].map((rest) => `GET /api/${path}/{name}/generations${rest}`),
    ];
    expect(new Set(routes)).toEqual(
      new Set([
        ...resources('toolexecutionhooks', true),
        ...resources('toolproviders', true),
        ...resources('tools', false),
        ...['POST /api/toolexecutionhooks:evaluate', 'POST /api/toolproviders/{name}/refresh', 'POST /api/runs', 'GET /api/runs'],
        ...['', '/retry', '/cancel'].map((rest) => `${rest === '' ? 'GET' : 'POST'} /api/runs/{ownerKind}/{runId}${rest}`),
      ]),
    );
  });

  it(verifies('API-003', 'names what each operation takes, answers and can refuse'), () => {
    for (const { operation, method, path } of operationsOf(document)) {
      const at = `${method} ${path}`;
      expect([at, operation.operationId, operation.summary]).toEqual([at, expect.stringMatching(/^[a-z]/), expect.stringMatching(/.../)]);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters?.filter((one) => one.in === 'path').map((one) => one.name) ?? [];
      expect([at, new Set(declared)]).toEqual([at, new Set(named)]);
      for (const status of [400, 401, 403, 429, 500, 503])
        expect([at, Object.keys(operation.responses)]).toEqual([at, expect.arrayContaining([String(status)])]);
      if (operation.requestBody)
        for (const status of [413, 415, 422])
          expect([at, Object.keys(operation.responses)]).toEqual([at, expect.arrayContaining([String(status)])]);
    }
    const { properties } = document.components.schemas.Problem as { properties: { code: { enum: string[] } } };
    expect(new Set(properties.code.enum)).toEqual(new Set(Object.keys(problems)));
  });

  it(verifies('API-003', 'lists the refusals that only some operations have'), () => {
    const refusals = Object.fromEntries(
      operationsOf(document).map(({ operation }) => [
        operation.operationId,
        Object.keys(operation.responses).filter((status) => ['409', '412', '428', '502'].includes(status)),
      ]),
    );
    expect(refusals).toMatchObject({
      ...{
        createToolExecutionHook: ['409'],
        putToolExecutionHook: ['412', '428'],
        patchTool: ['412', '428'],
        deleteToolProvider: ['412', '428'],
      },
      ...{ refreshToolProvider: ['409', '502'], createRun: ['409'], retryRun: ['409'], cancelRun: ['409'], getTool: [] },
    });
  });
});

describe('who may do what', () => {
  const path = (template: string) =>
    template.replace('{name}', 'nothing').replace('{generation}', '1').replace('{ownerKind}', 'runtime').replace('{runId}', 'nothing');
  const bodyOf = (method: string) => (method === 'GET' || method === 'DELETE' ? {} : { body: {} });

  it(verifies('API-001', 'every route x no token and every token that is none is 401'), async () => {
    const good = await rig.token();
    const [head = '', claims = ''] = good.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const { method, path: template } of operationsOf(document))
      for (const token of [null, 'x', unsigned, `${head}.${claims}.AAAA`]) {
        const answer = await rig.call(method, path(template), { token, ...bodyOf(method) });
        expect([method, template, answer.status, answer.body.code]).toEqual([method, template, 401, 'unauthenticated']);
      }
  });

  it(verifies('API-001', 'every route x every role: 403 exactly without the permission that the document names'), async () => {
    for (const { method, path: template, operation } of operationsOf(document)) {
      const needed = operation['x-required-permission'] as Permission;
      expect([method, template, permissions.includes(needed)]).toEqual([method, template, true]);
      expect([method, template, needed]).toEqual([method, template, expectedPermission(method, template)]);
      for (const role of Object.keys(roles) as Role[]) {
        const answer = await rig.call(method, path(template), { role, ...bodyOf(method) });
        const allowed = (roles[role] as readonly Permission[]).includes(needed);
        expect([method, template, role, answer.status === 403]).toEqual([method, template, role, !allowed]);
        if (!allowed) expect(answer.body.code).toBe('permission_denied');
        expect(answer.status).toBeLessThan(500);
      }
    }
  });

  it(verifies('API-001', 'every route x every permission: that one alone lets in, all others together do not'), async () => {
    // Roles of this test alone: no role of the product has a single permission, or all but one.
    const some = Object.fromEntries(
      permissions.flatMap((permission) => [
        [`only ${permission}`, [permission]],
        [`all but ${permission}`, permissions.filter((one) => one !== permission)],
      ]),
    );
    Object.assign(roles, some);
    try {
      for (const { method, path: template } of operationsOf(document)) {
        const needed = expectedPermission(method, template);
        for (const [role, granted] of Object.entries(some)) {
          const answer = await rig.call(method, path(template), {
            role: role as Role,
            principal: role.replaceAll(' ', '-'),
            ...bodyOf(method),
          });
          expect([method, template, role, answer.status === 403]).toEqual([method, template, role, !granted.includes(needed)]);
        }
      }
    } finally {
      for (const role of Object.keys(some)) delete (roles as Record<string, unknown>)[role];
    }
  });

  it(verifies('API-001', 'a workspace that the token does not list is 403'), async () => {
    for (const { method, path: template } of operationsOf(document)) {
      const answer = await rig.call(method, path(template), { headers: { 'Agentstration-Workspace': 'other' }, ...bodyOf(method) });
      expect([method, template, answer.status, answer.body.code]).toEqual([method, template, 403, 'workspace_denied']);
    }
  });
});

/** Written down again, so that a slip in a decorator is no truth. */
function expectedPermission(method: string, path: string): Permission {
  if (path.startsWith('/api/runs')) return method === 'GET' ? 'runs.read' : 'runs.execute';
  const area = path.startsWith('/api/toolexecutionhooks') ? 'hooks' : 'tools';
  return method === 'GET' || path.endsWith(':evaluate') ? `${area}.read` : `${area}.write`;
}
