import {
  type Scope,
  type ToolRequest,
  type ToolResult,
  callSubject,
  inboxPrefix,
  requestSubject,
  resultSubject,
  streams,
} from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect, headers } from '@nats-io/transport-node';
import { accountPassword, deliveredAccounts } from '../support/delivered-accounts.ts';
import { GovernanceSystem, workspace } from '../support/system/governance-system.ts';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';

const other: Scope = { tenantId: 'acme', workspaceId: 'other' };
const as = (user: string) => ({ Agentstration__Nats__User: user, Agentstration__Nats__Password: accountPassword });

/** Where a requester might try to have results written. */
const forbidden = ['agentstration.journal.v1.acme.support.runtime.run-1.forged', '_INBOX.acme.other.1', '_R_.abcdef.ghijkl'];

describe('the executor with an account for each Workspace', () => {
  let system: GovernanceSystem;
  let requester: NatsConnection;
  let neighbour: NatsConnection;
  let reader: NatsConnection;
  const heardByNeighbour: string[] = [];

  const dial = (user: string, inbox: string): Promise<NatsConnection> =>
    connect({ servers: system.nats.url, user, pass: accountPassword, inboxPrefix: inbox });
  const call = async (asked: ToolRequest): Promise<ToolResult> =>
    (await requester.request(callSubject(workspace), JSON.stringify(asked), { timeout: 10_000 })).json<ToolResult>();
  /** Every subject of the Journal, in order. */
  const recorded = async (): Promise<readonly string[]> => {
    const { streams: manager } = await jetstreamManager(reader, { checkAPI: false });
    const { state } = await manager.info(streams.journal);
    const sequences = Array.from({ length: state.last_seq }, (_, index) => index + 1);
    const messages = await Promise.all(sequences.map((seq) => manager.getMessage(streams.journal, { seq })));
    return messages.map((message) => message?.subject ?? '');
  };

  beforeAll(async () => {
    const configuration = await deliveredAccounts(workspace, other);
    system = await GovernanceSystem.start({ nats: { configuration }, environment: as('provision') });
    await system.startExecutor(as('tool-executor'));
    [requester, neighbour, reader] = await Promise.all([
      dial('requester-acme-support', inboxPrefix(workspace)),
      dial('requester-acme-other', inboxPrefix(other)),
      dial('governance-projector', '_AGENTSTRATION_INBOX.governance-projector'),
    ]);
    neighbour.subscribe('_INBOX.acme.other.>', { callback: (_error, message) => void heardByNeighbour.push(message.subject) });
    await neighbour.flush();
  }, 60_000);
  afterAll(async () => {
    await Promise.all([requester, neighbour, reader].map((connection) => connection?.close()));
    await system.stop();
  });

  it(verifies(['REQ-007', 'REQ-012'], 'answers a caller that waits'), async () => {
    expect(await call(request('call-1', 'ok', { arguments: { message: 'hello' } }))).toMatchObject({
      outcome: 'Succeeded',
      result: { structuredContent: { message: 'hello' } },
    });
  });

  it(verifies(['REQ-001', 'REQ-012'], 'lets a requester read its result by direct get'), async () => {
    const asked = request('durable', 'ok');
    expect(await jetstream(requester).publish(requestSubject(workspace), JSON.stringify(asked))).toMatchObject({ duplicate: false });
    const { direct } = await jetstreamManager(requester, { checkAPI: false });
    const subject = resultSubject({ ...workspace, ...asked.run, toolCallId: asked.toolCallId });
    const result = await eventually(async () => {
      const message = await direct.getMessage(streams.results, { last_by_subj: subject });
      return message?.json<ToolResult>() ?? Promise.reject(new Error('no result yet'));
    });
    expect(result).toMatchObject({ outcome: 'Succeeded' });
  });

  it(verifies(['REQ-006', 'REQ-012'], 'brings no reply into another Workspace or the Journal, whatever a caller names'), async () => {
    for (const [index, reply] of forbidden.entries())
      requester.publish(callSubject(workspace), JSON.stringify(request(`named-${index}`, 'ok')), { reply });
    for (const [index, reply] of forbidden.entries()) {
      const given = headers();
      given.set('Agentstration-Reply', reply);
      await jetstream(requester).publish(requestSubject(workspace), JSON.stringify(request(`stored-${index}`, 'ok')), { headers: given });
    }
    await eventually(async () => expect((await recorded()).filter((subject) => subject.endsWith('.stored-2'))).toHaveLength(3));
    // The same paths answer a legal caller after them, so they would have been answered by now.
    await call(request('after', 'ok'));
    await neighbour.flush();
    expect(heardByNeighbour).toEqual([]);
    expect((await recorded()).filter((subject) => subject.endsWith('.forged'))).toEqual([]);
  });
});
