import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, hook, startManagement } from './management-rig.ts';

let rig: ManagementRig;
const hooks = '/api/toolexecutionhooks';
const labelled = [
  ['alpha', 'default', { tier: 'gold', team: 'a' }],
  ['Beta', 'default', { tier: 'gold' }],
  ['beta', 'default', { tier: 'silver', team: 'b' }],
  ['gamma', 'team', {}],
  ['alpha', 'team', { team: 'a' }],
] as const;

beforeAll(async () => {
  rig = await startManagement();
  for (const [name, namespace, labels] of labelled) await rig.call('POST', hooks, { body: hook(name, {}, { namespace, labels }) });
}, 240_000);
afterAll(() => rig?.stop());

const names = async (query: string, workspace?: string): Promise<string[]> => {
  const { status, body } = await rig.call('GET', `${hooks}?${query}`, workspace === undefined ? {} : { workspace });
  expect(status).toBe(200);
  return body.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
};

describe('lists', () => {
  it(verifies('RES-013', 'are in the order of namespace and name, by code unit'), async () => {
    expect(await names('')).toEqual(['default/Beta', 'default/alpha', 'default/beta', 'team/alpha', 'team/gamma']);
    expect(await names('resourceNamespace=team')).toEqual(['team/alpha', 'team/gamma']);
    expect(await names('resourceNamespace=none')).toEqual([]);
  });

  it.each([
    ['tier=gold', ['default/Beta', 'default/alpha']],
    ['tier!=gold', ['default/beta', 'team/alpha', 'team/gamma']],
    ['tier', ['default/Beta', 'default/alpha', 'default/beta']],
    ['!tier', ['team/alpha', 'team/gamma']],
    ['tier in (gold,silver),team', ['default/alpha', 'default/beta']],
    ['tier notin (gold)', ['default/beta', 'team/alpha', 'team/gamma']],
    ['team=a,tier=gold', ['default/alpha']],
    ['tier=Gold', []],
  ])(verifies('RES-013', 'select by %s'), async (selector, found) => {
    expect(await names(`labelSelector=${encodeURIComponent(selector)}`)).toEqual(found);
  });

  it(verifies('RES-013', 'meet every item once over pages, also while others are written'), async () => {
    const seen: string[] = [];
    let token: string | null = '';
    for (let page = 0; token !== null; page += 1) {
      const { body } = await rig.call('GET', `${hooks}?limit=2${token === '' ? '' : `&continue=${token}`}`);
      seen.push(...body.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
      token = body.continue;
      await rig.call('POST', hooks, { body: hook(`between-${page}`, {}, { namespace: 'aaa' }) });
    }
    expect(seen.filter((one) => !one.startsWith('aaa/'))).toEqual([
      'default/Beta',
      'default/alpha',
      'default/beta',
      'team/alpha',
      'team/gamma',
    ]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it(verifies('RES-014', 'take no token of another query, kind or workspace, and none that was tampered with'), async () => {
    const { body } = await rig.call('GET', `${hooks}?limit=1`);
    const token = body.continue ?? '';
    const tampered = `${token.slice(0, -2)}${token.endsWith('A') ? 'B' : 'A'}${token.slice(-1)}`;
    for (const [path, caller] of [
      [`${hooks}?limit=1&continue=${token}`, { workspace: 'other' }],
      [`${hooks}?limit=1&continue=${token}&resourceNamespace=team`, {}],
      [`${hooks}?limit=1&continue=${token}&labelSelector=tier`, {}],
      [`/api/toolproviders?continue=${token}`, {}],
      [`/api/runs?continue=${token}`, {}],
      [`${hooks}/alpha/generations?continue=${token}`, {}],
      [`${hooks}?continue=${tampered}`, {}],
      [`${hooks}?continue=`, {}],
      [`${hooks}?continue=xyz`, {}],
    ] as const)
      expect((await rig.call('GET', path, caller)).body).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });

  it.each([
    ['limit=0', 'invalid_limit'],
    ['limit=201', 'invalid_limit'],
    ['limit=1.5', 'invalid_limit'],
    ['limit=', 'invalid_limit'],
    ['limit=1&limit=2', 'invalid_parameter'],
    ['labelselector=a', 'invalid_parameter'],
    ['labelSelector=a=b=c', 'invalid_parameter'],
    ['resourceNamespace=A', 'invalid_parameter'],
    ['resourceNamespace=a&resourceNamespace=b', 'invalid_parameter'],
    ['limit[]=1', 'invalid_parameter'],
  ])(verifies('RES-020', '%s is 400 %s'), async (query, code) => {
    expect((await rig.call('GET', `${hooks}?${query}`)).body).toMatchObject({ status: 400, code });
  });

  it(verifies('RES-021', 'a row that a hand has spoilt says so, and is mended by a PUT'), async () => {
    await rig.call('POST', hooks, { body: hook('spoilt'), workspace: 'broken' });
    const owner = new Client({ connectionString: rig.databaseUrl });
    await owner.connect();
    await owner.query(`UPDATE agentstration.resources SET definition = '{"displayName":"x","handler":"script"}' WHERE name = 'spoilt'`);
    await owner.end();

    const { body, etag } = await rig.call('GET', `${hooks}/spoilt`, { workspace: 'broken' });
    expect(body.status).toMatchObject({
      conditions: [
        { type: 'Valid', status: 'False', reason: 'InvalidDefinition', message: expect.stringMatching(/\/handler must be one of deny/) },
      ],
    });
    const explained = await rig.call('POST', `${hooks}:evaluate`, {
      body: { toolId: 't', providerId: 'p', agentId: 'a' },
      workspace: 'broken',
    });
    expect(explained.body).toMatchObject({ decision: 'Failed', leftOut: [{ resourceId: 'default/spoilt', reason: 'invalid' }] });
    const mended = await rig.call('PUT', `${hooks}/spoilt`, { body: hook('spoilt'), headers: { 'If-Match': etag }, workspace: 'broken' });
    expect(mended.body.status).toMatchObject({ conditions: [{ status: 'True' }] });
  });
});

describe('evaluate', () => {
  it(verifies(['EVAL-001', 'EVAL-002'], 'explains over HTTP, shows no message and changes nothing'), async () => {
    const workspace = 'explained';
    await rig.call('POST', hooks, { body: hook('deny-crm', { order: 5, selector: { tools: ['crm.lookup'] } }), workspace });
    await rig.call('POST', hooks, { body: hook('deny-other', { selector: { agents: ['other'] } }), workspace });
    const body = { toolId: 'crm.lookup', providerId: 'crm', agentId: 'support' };
    const { status, body: answer, text } = await rig.call('POST', `${hooks}:evaluate`, { body, workspace, role: 'viewer' });
    expect(status).toBe(200);
    expect(answer).toEqual({
      decision: 'Denied',
      code: 'blocked',
      chain: [
        {
          hook: { id: 'managed:default/deny-crm', order: 5, source: 'Managed', resourceId: 'default/deny-crm', resourceGeneration: 1 },
          ...{ decision: 'Denied', code: 'blocked', reached: true },
        },
      ],
      leftOut: [{ resourceId: 'default/deny-other', resourceGeneration: 1, reason: 'selector', selector: 'agents' }],
    });
    expect(text).not.toContain('Not here.');
    const wrong = await rig.call('POST', `${hooks}:evaluate`, { body: { toolId: '', agentId: 'a b', x: 1 } });
    expect([wrong.status, new Set(wrong.body.errors?.map(({ pointer }) => pointer))]).toEqual([
      422,
      new Set(['/toolId', '/providerId', '/agentId', '/x']),
    ]);
    expect((await rig.call('POST', `${hooks}:evaluate`)).status).toBe(400);
    const hostile = JSON.stringify({ ...body, toolId: { ['constructor']: [] } });
    expect((await rig.call('POST', `${hooks}:evaluate`, { body: hostile })).status).toBe(422);
  });
});
