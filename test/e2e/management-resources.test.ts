import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { verifies } from '../support/verifies.ts';
import { type AnswerBody, type ManagementRig, hook, provider, startManagement } from './management-rig.ts';

let rig: ManagementRig;
beforeAll(async () => void (rig = await startManagement()), 240_000);
afterAll(() => rig?.stop());

const hooks = '/api/toolexecutionhooks';
const ifMatch = (etag: string) => ({ 'If-Match': etag });
const create = async (name: string, definition: object = {}, metadata: object = {}) => {
  const created = await rig.call('POST', hooks, { body: hook(name, definition, metadata) });
  expect(created.status).toBe(201);
  return created;
};
const codes = (body: AnswerBody) => body.errors?.map(({ pointer, code }) => `${pointer} ${code}`);

describe('create', () => {
  it(verifies(['RES-011', 'RES-006'], 'is 201 with Location, ETag and the resource as it stands'), async () => {
    const created = await create('created', { order: 5 });
    expect(created.headers.get('location')).toBe(`${hooks}/created`);
    expect(created.body).toEqual({
      apiVersion: 'agentstration.io/v1',
      kind: 'ToolExecutionHook',
      metadata: {
        ...{ name: 'created', namespace: 'default', labels: {}, annotations: {}, generation: 1 },
        ...{ uid: expect.any(String), createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) },
      },
      definition: { ...hook('created').definition, enabled: true, order: 5, selector: { tools: [], providers: [], agents: [] } },
      status: { conditions: [expect.objectContaining({ type: 'Valid', status: 'True' })] },
    });
    const read = await rig.call('GET', created.headers.get('location') ?? '');
    expect([read.status, read.body, read.etag]).toEqual([200, created.body, created.etag]);
  });

  it(verifies('RES-011', 'of a name that is taken is 409; in another namespace it is another hook'), async () => {
    await create('taken');
    expect((await rig.call('POST', hooks, { body: hook('taken') })).body).toMatchObject({ status: 409, code: 'already_exists' });
    const elsewhere = await create('taken', {}, { namespace: 'team.a' });
    expect(elsewhere.headers.get('location')).toBe(`${hooks}/taken?resourceNamespace=team.a`);
    expect((await rig.call('POST', `${hooks}?resourceNamespace=team.b`, { body: hook('taken') })).status).toBe(201);
    const differs = await rig.call('POST', `${hooks}?resourceNamespace=team.b`, { body: hook('taken', {}, { namespace: 'team.c' }) });
    expect([differs.status, codes(differs.body)]).toEqual([422, ['/metadata/namespace differs_from_url']]);
  });

  it(verifies(['RES-001', 'RES-004'], 'of what is wrong everywhere names every fault at once'), async () => {
    const body = { ...hook('-wrong', { handler: 'script', order: 'x', selector: { tools: ['a', 'a'], x: 1 } }, { x: 1 }), spec: 1 };
    const answer = await rig.call('POST', hooks, { body });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({
      type: 'https://agentstration.io/problems/invalid_definition',
      code: 'invalid_definition',
      instance: hooks,
    });
    expect(new Set(codes(answer.body))).toEqual(
      new Set([
        ...['/spec unknown_property', '/metadata/name wrong_format', '/metadata/x unknown_property', '/definition/handler not_allowed'],
        ...['/definition/order wrong_type', '/definition/selector/tools/1 duplicate', '/definition/selector/x unknown_property'],
      ]),
    );
  });

  it(verifies('RES-010', 'by PUT with If-None-Match: * is 201, and 412 the second time'), async () => {
    const put = () => rig.call('PUT', `${hooks}/put-new`, { body: hook('put-new'), headers: { 'If-None-Match': '*' } });
    const created = await put();
    expect([created.status, created.headers.get('location')]).toEqual([201, `${hooks}/put-new`]);
    expect((await put()).body).toMatchObject({ status: 412, code: 'etag_mismatch' });
    const both = { 'If-None-Match': '*', 'If-Match': created.etag };
    expect((await rig.call('PUT', `${hooks}/put-new`, { body: hook('put-new'), headers: both })).status).toBe(400);
    expect((await rig.call('PUT', `${hooks}/put-new`, { body: hook('put-new'), headers: { 'If-None-Match': '"x"' } })).status).toBe(400);
  });
});

describe('change', () => {
  it(verifies('RES-007', 'without If-Match is 428, with another one 412, of nothing 404'), async () => {
    const { etag } = await create('guarded');
    const path = `${hooks}/guarded`;
    const bodies = { PUT: hook('guarded', { order: 1 }), PATCH: { definition: { order: 1 } }, DELETE: undefined };
    for (const [method, body] of Object.entries(bodies)) {
      expect((await rig.call(method, path, { body })).body).toMatchObject({ status: 428, code: 'precondition_required' });
      for (const wrong of ['"x"', `W/${etag}`, `"x", W/${etag}`])
        expect((await rig.call(method, path, { body, headers: ifMatch(wrong) })).body).toMatchObject({
          status: 412,
          code: 'etag_mismatch',
        });
      expect((await rig.call(method, path, { body, headers: ifMatch('x') })).status).toBe(400);
      const nothing = await rig.call(method, `${hooks}/nothing`, {
        body: method === 'PUT' ? hook('nothing') : body,
        headers: ifMatch('*'),
      });
      expect(nothing.body).toMatchObject({ status: 404, code: 'resource_not_found' });
    }
    const list = await rig.call('PUT', path, { body: bodies.PUT, headers: ifMatch(`"x", ${etag}`) });
    expect(list.status).toBe(200);
    expect((await rig.call('DELETE', path, { headers: ifMatch('*') })).status).toBe(204);
  });

  it(verifies(['RES-005', 'RES-009'], 'get, edit, put works; the same content changes nothing'), async () => {
    const { body, etag } = await create('edited', { order: 1 }, { labels: { a: 'b' } });
    const same = await rig.call('PUT', `${hooks}/edited`, { body, headers: ifMatch(etag) });
    expect([same.status, same.etag, same.body]).toEqual([200, etag, body]);
    const patched = await rig.call('PATCH', `${hooks}/edited`, { body: { definition: { order: 1 } }, headers: ifMatch(etag) });
    expect([patched.status, patched.etag]).toEqual([200, etag]);

    body.definition.order = 2;
    const changed = await rig.call('PUT', `${hooks}/edited`, { body, headers: ifMatch(etag) });
    expect(changed.body.metadata).toMatchObject({ generation: 2, uid: body.metadata.uid, labels: { a: 'b' } });
    expect(changed.etag).not.toBe(etag);

    const labelled = await rig.call('PATCH', `${hooks}/edited`, {
      body: { metadata: { labels: { a: null, c: 'd' } } },
      headers: ifMatch(changed.etag),
    });
    expect(labelled.body.metadata).toMatchObject({ generation: 2, labels: { c: 'd' } });
    expect(labelled.etag).not.toBe(changed.etag);
  });

  it(verifies('RES-005', 'a body of another name or namespace than the URL is 422'), async () => {
    const { etag } = await create('named');
    const other = await rig.call('PUT', `${hooks}/named`, { body: hook('other', {}, { namespace: 'x' }), headers: ifMatch(etag) });
    expect([other.status, codes(other.body)]).toEqual([422, ['/metadata/name differs_from_url', '/metadata/namespace differs_from_url']]);
  });

  it(verifies('RES-012', 'by merge patch: null takes the default, the result is judged whole'), async () => {
    const { etag } = await create('patched', { order: 7, enabled: false });
    const path = `${hooks}/patched`;
    const invalid = await rig.call('PATCH', path, { body: { definition: { displayName: null, order: 20_000 } }, headers: ifMatch(etag) });
    expect([invalid.status, codes(invalid.body)]).toEqual([422, ['/definition/displayName required', '/definition/order too_large']]);
    expect((await rig.call('PATCH', path, { body: ['x'], headers: ifMatch(etag) })).status).toBe(422);
    const patched = await rig.call('PATCH', path, {
      body: { definition: { order: null, selector: { tools: ['a'] } } },
      headers: ifMatch(etag),
    });
    expect(patched.body.definition).toMatchObject({ order: 0, enabled: false, selector: { tools: ['a'], providers: [], agents: [] } });
  });

  it(
    verifies(['RES-022', 'RES-015'], 'of 50 writers with one ETag one wins; 50 writers in turn count 50 generations'),
    async () => {
      const { etag } = await create('raced');
      const write = (order: number, tag: string) =>
        rig.call('PUT', `${hooks}/raced`, { body: hook('raced', { order }), headers: ifMatch(tag) });
      const statuses = (await Promise.all(Array.from({ length: 50 }, (_, index) => write(index + 1, etag)))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412)).toHaveLength(49);

      const untilWon = async (order: number): Promise<number> => {
        for (;;) {
          const current = await rig.call('GET', `${hooks}/raced`);
          const written = await write(order, current.etag);
          if (written.status === 200) return written.body.metadata.generation;
        }
      };
      const generations = await Promise.all(Array.from({ length: 50 }, (_, index) => untilWon(1000 + index)));
      expect(generations.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 3));
    },
    240_000,
  );
});

describe('read', () => {
  it(verifies('RES-008', 'answers 304 to whoever has it, in every form of If-None-Match'), async () => {
    const { etag } = await create('known');
    const get = (tag: string) => rig.call('GET', `${hooks}/known`, { headers: { 'If-None-Match': tag } });
    for (const has of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get(has);
      expect([answer.status, answer.text, answer.etag]).toEqual([304, '', etag]);
    }
    expect((await get('"x"')).status).toBe(200);
    expect((await get('x')).body).toMatchObject({ status: 400, code: 'malformed_request' });
    const head = await fetch(`${rig.url}${hooks}/known`, { method: 'HEAD', headers: { Authorization: `Bearer ${await rig.token()}` } });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  });

  it(verifies('RES-017', 'speaks YAML, with an ETag of its own that a write takes'), async () => {
    const yaml = { 'Content-Type': 'application/yaml', Accept: 'application/yaml' };
    const created = await rig.call('POST', hooks, { body: stringify(hook('in-yaml', { order: 3 })), headers: yaml });
    expect(created.status).toBe(201);
    expect(created.headers.get('content-type')).toMatch(/^application\/yaml/);
    const json = await rig.call('GET', `${hooks}/in-yaml`);
    expect(parse(created.text)).toEqual(json.body);
    expect(created.etag).not.toBe(json.etag);
    expect(json.headers.get('vary')).toMatch(/Accept/);
    const edited = created.text.replace('order: 3', 'order: 4');
    const put = await rig.call('PUT', `${hooks}/in-yaml`, { body: edited, headers: { ...yaml, ...ifMatch(created.etag) } });
    expect([put.status, (parse(put.text) as AnswerBody).metadata.generation]).toEqual([200, 2]);
    expect((await rig.call('GET', `${hooks}/in-yaml`, { headers: { Accept: 'application/yaml', 'If-None-Match': put.etag } })).status).toBe(
      304,
    );
    expect((await rig.call('GET', `${hooks}/in-yaml`, { headers: { 'If-None-Match': put.etag } })).status).toBe(200);
    const nothing = await rig.call('GET', `${hooks}/nothing`, { headers: yaml });
    expect(nothing.headers.get('content-type')).toMatch(/problem/);
  });

  it.each([
    ['a duplicate key', 'kind: Tool\nkind: Tool\n', 'application/yaml'],
    ['a duplicate key in JSON', '{"kind":1,"kind":2}', 'application/json'],
    ['a tag', 'kind: !!js/function "x"\n', 'application/yaml'],
    ['several documents', 'a: 1\n---\nb: 2\n', 'application/yaml'],
    [
      'an anchor bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((at, index) => `${at}: &${at} [${`*${'abcdefg'[index]},`.repeat(9)}]`).join('\n')}\n`,
      'application/yaml',
    ],
    ['no YAML', 'a: [', 'application/yaml'],
  ])(verifies('RES-018', 'refuses %s'), async (_what, body, type) => {
    const answer = await rig.call('POST', hooks, { body, headers: { 'Content-Type': type } });
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_request']);
  });
});

describe('history', () => {
  it(verifies(['RES-015', 'RES-016'], 'every generation stays readable, over delete and re-create, with who and when'), async () => {
    const path = `${hooks}/historic`;
    const { etag } = await create('historic', { order: 1 });
    const second = await rig.call('PUT', path, { body: hook('historic', { order: 2 }), headers: ifMatch(etag), principal: 'bob' });
    expect((await rig.call('DELETE', path, { headers: ifMatch(second.etag), principal: 'eve' })).status).toBe(204);
    expect((await rig.call('GET', path)).status).toBe(404);
    expect((await rig.call('DELETE', path, { headers: ifMatch(second.etag) })).status).toBe(404);

    const whileGone = await rig.call('GET', `${path}/generations`);
    expect(whileGone.body.items.map((one) => [one.generation, one.changedBy])).toEqual([
      [2, 'bob'],
      [1, 'ada'],
    ]);
    expect(whileGone.body.items[0]?.deletion).toMatchObject({ deletedBy: 'eve' });

    const again = await create('historic', { order: 3 });
    expect(again.body.metadata.generation).toBe(3);
    expect(again.etag).not.toBe(etag);
    const orders = await Promise.all([1, 2, 3].map((generation) => rig.call('GET', `${path}/generations/${generation}`)));
    expect(orders.map(({ body }) => [body.generation, body.definition.order])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    const page = await rig.call('GET', `${path}/generations?limit=2`);
    const rest = await rig.call('GET', `${path}/generations?limit=2&continue=${page.body.continue}`);
    expect([page, rest].map(({ body }) => body.items.map((one) => one.generation))).toEqual([[3, 2], [1]]);
    expect(rest.body.continue).toBeNull();
    for (const missing of ['4', '999999999']) expect((await rig.call('GET', `${path}/generations/${missing}`)).status).toBe(404);
    for (const bad of ['0', '-1', 'x', '1.0', '9'.repeat(30)])
      expect((await rig.call('GET', `${path}/generations/${bad}`)).body).toMatchObject({
        status: 400,
        code: 'invalid_resource_generation',
      });
    expect((await rig.call('GET', `${hooks}/never/generations`)).status).toBe(404);
  });
});

describe('workspaces and tools', () => {
  it(verifies('RES-023', 'a thing of another workspace is a thing that does not exist'), async () => {
    const { etag } = await create('private');
    await rig.call('PUT', `${hooks}/private`, { body: hook('private', { order: 9 }), headers: ifMatch(etag) });
    const strip = (text: string) => text.replaceAll('private', 'X').replaceAll('absent', 'X');
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['GET', '/generations', undefined],
      ['GET', '/generations/1', undefined],
      ['PUT', '', 'own'],
      ['PATCH', '', { definition: { order: 1 } }],
      ['DELETE', '', undefined],
    ] as const) {
      const ask = (name: string, workspace: string) =>
        rig.call(method, `${hooks}/${name}${rest}`, { workspace, body: body === 'own' ? hook(name) : body, headers: ifMatch('*') });
      const [foreign, absent] = [await ask('private', 'other'), await ask('absent', 'other')];
      expect([method, rest, foreign.status, strip(foreign.text)]).toEqual([method, rest, 404, strip(absent.text)]);
    }
    expect((await rig.call('GET', hooks, { workspace: 'other' })).body).toEqual({ items: [], continue: null });
  });

  it(verifies('RES-019', 'tools are neither created nor deleted here; providers are'), async () => {
    for (const [method, path] of [
      ['POST', '/api/tools'],
      ['DELETE', '/api/tools/x'],
    ] as const)
      expect((await rig.call(method, path, { body: {} })).body).toMatchObject({ status: 405, code: 'method_not_allowed' });
    const body = { apiVersion: 'agentstration.io/v1', kind: 'Tool', metadata: { name: 'x' }, definition: {} };
    expect((await rig.call('PUT', '/api/tools/x', { body, headers: { 'If-None-Match': '*' } })).status).toBe(404);
    expect((await rig.call('POST', '/api/toolproviders', { body: provider('everything') })).status).toBe(201);
    const secret = provider('secret', { mcp: { transport: 'stdio', command: 'sh' } });
    expect(codes((await rig.call('POST', '/api/toolproviders', { body: secret })).body)).toEqual([
      '/definition/mcp/profile required',
      '/definition/mcp/command unknown_property',
    ]);
  });

  it(verifies('API-005', 'each write leaves a record of who, what and the generations'), async () => {
    const path = `${hooks}/logged`;
    const { etag } = await create('logged');
    const put = await rig.call('PUT', path, { body: hook('logged', { order: 1 }), headers: ifMatch(etag), principal: 'bob' });
    await rig.call('DELETE', path, { headers: ifMatch(put.etag), principal: 'eve' });
    const records = rig.logged().filter((line) => line.log === 'security' && String(line.target).endsWith('/logged'));
    expect(records).toMatchObject([
      {
        action: 'resource.create',
        principalId: 'ada',
        workspaceId: 'demo',
        generationBefore: null,
        generationAfter: 1,
        outcome: 'created',
      },
      { action: 'resource.replace', principalId: 'bob', generationBefore: 1, generationAfter: 2, outcome: 'replaced' },
      { action: 'resource.delete', principalId: 'eve', generationBefore: 2, generationAfter: null, outcome: 'deleted' },
    ]);
  });
});
