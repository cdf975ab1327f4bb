import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callSubject,
  cancelSubject,
  deadLetterSubject,
  discoverSubject,
  inboxPrefix,
  requestSubject,
  resultSubject,
  runJournalSubject,
  type Scope,
  streams,
  toolCallJournalSubject,
} from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { eventually, findNatsServer, type NatsServer, startNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { JetStreamJournal } from './append/jetstream-journal.ts';
import { testSettings } from './contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from './contract-suite/sample-facts.ts';
import { provisionStreams } from './provision/provision-streams.ts';
import { requestConsumerName } from './provision/stream-definitions.ts';
import { journalState } from './read/journal-state.ts';
import { readJournal } from './read/read-journal.ts';
import { JournalVerifier } from './verify/journal-verifier.ts';

const folder = join(import.meta.dirname, '../../../deploy/nats');
const read = (name: string) => readFile(join(folder, name), 'utf8');
const demo: Scope = { tenantId: 'acme', workspaceId: 'demo' };
const other: Scope = { tenantId: 'acme', workspaceId: 'other' };
const call = { ...sampleCall(1), ...demo };

/** The delivered accounts, with a second Workspace made as its file says. */
async function accounts(): Promise<string> {
  const demoFile = await read('workspaces/acme.demo.conf');
  const otherFile = demoFile.replaceAll('demo', 'other').replaceAll('DEMO', 'OTHER');
  const text = (await read('accounts.conf')).replace('include "workspaces/acme.demo.conf"', `${demoFile}\n${otherFile}`);
  const variables = new Set([...text.matchAll(/\$(AGENTSTRATION_NATS_PASSWORD_\w+)/g)].map(([, name]) => `${name}: "secret"`));
  return [...variables, text].join('\n');
}

describe('the delivered broker configuration', () => {
  let server: NatsServer;
  const connections: NatsConnection[] = [];
  const dial = async (user: string, inbox: string): Promise<NatsConnection> => {
    const connection = await connect({ servers: server.url, user, pass: 'secret', inboxPrefix: inbox });
    connections.push(connection);
    return connection;
  };
  const service = (user: string, name = user) => dial(user, `_AGENTSTRATION_INBOX.${name}`);
  const requester = (scope: Scope) => dial(`requester-${scope.tenantId}-${scope.workspaceId}`, inboxPrefix(scope));
  const facts = async () => (await journalState(await service('governance-projector'))).messages;

  beforeAll(async () => {
    server = await startNatsServer({ configuration: await accounts() });
    await provisionStreams(await service('provision'), testSettings);
  });
  afterEach(() => Promise.all(connections.splice(0).map((connection) => connection.close())).then(() => undefined));
  afterAll(() => server.stop());

  const isForbidden = async (action: Promise<unknown>): Promise<void> => {
    const error = await action.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const cause = error instanceof errors.RequestError ? error.cause : error;
    expect(cause).toBeInstanceOf(errors.PermissionViolationError);
  };
  const cannotPublish = (connection: NatsConnection, subject: string) => isForbidden(connection.request(subject, '{}', { timeout: 1000 }));

  describe('for a requester', () => {
    it(verifies('NATS-001', 'takes requests of its own Workspace, and acknowledges them'), async () => {
      const own = await requester(demo);
      expect(await jetstream(own).publish(requestSubject(demo), '{}')).toMatchObject({ stream: streams.requests, duplicate: false });
    });

    it(verifies('NATS-001', 'answers its calls'), async () => {
      const executor = await service('tool-executor');
      executor.subscribe(callSubject({ tenantId: '*', workspaceId: '*' }), {
        queue: 'q',
        callback: (_error, message) => void message.respond('result'),
      });
      await executor.flush();
      expect((await (await requester(demo)).request(callSubject(demo), '{}', { timeout: 1000 })).string()).toBe('result');
    });

    it(verifies('NATS-001', 'tells every executor of its cancels'), async () => {
      const executors = await Promise.all([service('tool-executor'), service('tool-executor')]);
      const heard: string[] = [];
      for (const executor of executors)
        executor.subscribe(cancelSubject({ tenantId: '*', workspaceId: '*' }), {
          callback: (_error, message) => void heard.push(message.subject),
        });
      await Promise.all(executors.map((executor) => executor.flush()));
      (await requester(demo)).publish(cancelSubject(demo), '{}');
      await eventually(() => expect(heard).toEqual([cancelSubject(demo), cancelSubject(demo)]));
    });

    it(verifies('NATS-002', 'lets it read its results, and no others'), async () => {
      const executor = jetstream(await service('tool-executor'));
      await executor.publish(resultSubject(call), 'mine');
      await executor.publish(resultSubject({ ...call, ...other }), 'theirs');
      const own = await requester(demo);
      const manager = await jetstreamManager(own, { checkAPI: false });
      expect((await manager.direct.getMessage(streams.results, { last_by_subj: resultSubject(call) }))?.string()).toBe('mine');
      await isForbidden(manager.direct.getMessage(streams.results, { last_by_subj: resultSubject({ ...call, ...other }) }));
      await isForbidden(manager.direct.getMessage(streams.results, { seq: 2 }));
      await isForbidden(manager.streams.getMessage(streams.results, { seq: 2 }));
    });

    it.each([
      ['the Journal', toolCallJournalSubject(call)],
      ['its own results', resultSubject(call)],
      ['its own dead letters', deadLetterSubject(demo)],
      ['discovery', discoverSubject(demo)],
      ['requests of another Workspace', requestSubject(other)],
      ['calls of another Workspace', callSubject(other)],
      ['cancels of another Workspace', cancelSubject(other)],
      ['an inbox of another Workspace', `${inboxPrefix(other)}.x`],
      ['an inbox of a service', '_AGENTSTRATION_INBOX.tool-executor.x'],
      ['an acknowledgement', `$JS.ACK.AGENTSTRATION_REQUESTS.${requestConsumerName}.1.1.1.1.1`],
      ['the streams', '$JS.API.STREAM.DELETE.AGENTSTRATION_REQUESTS'],
    ])(verifies('NATS-001', 'refuses what it publishes to %s'), async (_what, subject) => {
      await cannotPublish(await requester(demo), subject);
    });

    it.each([
      ['everything', '>'],
      ['the Journal', 'agentstration.journal.>'],
      ['requests', 'agentstration.tools.v1.*.*.request'],
      ['all inboxes', '_INBOX.>'],
      ['inboxes of another Workspace', `${inboxPrefix(other)}.>`],
      ['inboxes of a service', '_AGENTSTRATION_INBOX.>'],
      ['what happens to streams', '$JS.EVENT.>'],
    ])(verifies('NATS-002', 'does not let it listen to %s'), async (_what, subject) => {
      const own = await requester(demo);
      await isForbidden(
        new Promise(
          (resolve, reject) => void own.subscribe(subject, { callback: (error) => (error ? reject(error) : resolve(undefined)) }),
        ),
      );
    });

    it(verifies('NATS-003', 'does not follow its reply subject out of its own account'), async () => {
      const own = await requester(demo);
      const neighbour = await requester(other);
      const heard: string[] = [];
      neighbour.subscribe(`${inboxPrefix(other)}.>`, { callback: (_error, message) => void heard.push(message.subject) });
      await neighbour.flush();
      for (const reply of [toolCallJournalSubject(call), runJournalSubject(call), `${inboxPrefix(other)}.x`])
        own.publish(requestSubject(demo), '{}', { reply });
      await own.flush();
      expect(await jetstream(own).publish(requestSubject(demo), '{}')).toMatchObject({ stream: streams.requests });
      await neighbour.flush();
      expect(await facts()).toBe(0);
      expect(heard).toEqual([]);
    });

    it(verifies('NATS-003', 'keeps to itself the reply subjects that cross accounts'), async () => {
      const own = await requester(demo);
      const refused: string[] = [];
      void (async () => {
        for await (const status of own.status()) if (status.type === 'error') refused.push(status.error.message);
      })();
      own.publish(callSubject(demo), '{}', { reply: '_R_.abcdef.ghijkl' });
      await own.flush();
      await eventually(() => expect(refused.join()).toMatch(/Reply/));
    });
  });

  describe('for the services', () => {
    const append = (journal: JetStreamJournal, subject: string) =>
      journal.append({ subject, payload: encodeFact(sampleFact(call, 'a')), expectedLastSequence: 0 });
    const verified = async (connection: NatsConnection) => {
      const verifier = new JournalVerifier({ connection, requiredDurability: 'process', monitoringUrls: [] });
      expect(await verifier.start()).toMatchObject({ verified: true, reasons: [] });
      return { verifier, journal: new JetStreamJournal({ connection, verifier, publishTimeoutMs: 1000 }) };
    };

    it(verifies('NATS-004', 'lets the executor append, read, take requests, deliver and give up'), async () => {
      const gate = await service('tool-executor', 'tool-executor-gate');
      const { verifier, journal } = await verified(gate);
      expect(await append(journal, toolCallJournalSubject(call))).toMatchObject({ kind: 'acknowledged' });
      expect(await journal.readToolCall(call)).toHaveLength(1);
      const work = await service('tool-executor');
      const client = jetstream(work);
      await client.publish(requestSubject(demo), 'asked');
      const consumer = await client.consumers.get(streams.requests, requestConsumerName);
      for (let message = await consumer.next({ expires: 1000 }); message; message = await consumer.next({ expires: 1000 })) {
        message.working();
        expect(await message.ackAck()).toBe(true);
      }
      const manager = await jetstreamManager(work, { checkAPI: false });
      expect((await manager.streams.info(streams.requests)).state.messages).toBe(0);
      expect((await manager.streams.info(streams.deadLetters)).config.name).toBe(streams.deadLetters);
      for (const subject of [resultSubject(call), deadLetterSubject(demo)])
        expect(await client.publish(subject, '{}')).toMatchObject({ duplicate: false });
      await verifier.stop();
    });

    it(verifies('NATS-004', 'lets the management API append facts of Runs alone, send requests, and ask for discovery'), async () => {
      const connection = await service('management-api');
      const { verifier, journal } = await verified(connection);
      expect(await append(journal, runJournalSubject(call))).toMatchObject({ kind: 'acknowledged' });
      expect(await append(journal, toolCallJournalSubject({ ...call, toolCallId: 'forged' }))).toMatchObject({
        kind: 'refused',
        reason: 'error',
      });
      expect(await jetstream(connection).publish(requestSubject(demo), '{}')).toMatchObject({ stream: streams.requests });
      const executor = await service('tool-executor');
      executor.subscribe(discoverSubject({ tenantId: '*', workspaceId: '*' }), {
        callback: (_error, message) => void message.respond('tools'),
      });
      await executor.flush();
      expect((await connection.request(discoverSubject(demo), '{}', { timeout: 1000 })).string()).toBe('tools');
      await verifier.stop();
    });

    it(verifies('NATS-004', 'lets the projector read the Journal and write nowhere'), async () => {
      const connection = await service('governance-projector');
      const reading = readJournal(connection, { from: 1 });
      expect((await reading.next()).value).toMatchObject({ messages: [{ sequence: 1 }] });
      await reading.return();
      for (const subject of [toolCallJournalSubject(call), requestSubject(demo), resultSubject(call)])
        await cannotPublish(connection, subject);
    });

    it.each(['tool-executor', 'management-api', 'governance-projector', 'provision'])(
      verifies('NATS-004', 'never lets %s delete or empty a stream'),
      async (user) => {
        const connection = await service(user);
        for (const stream of Object.values(streams))
          for (const action of ['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.MSG.DELETE'])
            await cannotPublish(connection, `$JS.API.${action}.${stream}`);
        if (user !== 'provision') await cannotPublish(connection, `$JS.API.STREAM.UPDATE.${streams.journal}`);
      },
    );
  });

  it(verifies('NATS-005', 'is one that a broker accepts which can fsync before it acknowledges, and only such a one'), async () => {
    const environment: Record<string, string> = { AGENTSTRATION_NATS_SERVER_NAME: '"nats-1"', AGENTSTRATION_NATS_STORE: '"/data"' };
    for (const [, password = ''] of (await accounts()).matchAll(/^(AGENTSTRATION_NATS_PASSWORD_\w+)/gm)) environment[password] = '"secret"';
    const said = await run(await findNatsServer(), ['-t', '-c', join(folder, 'nats-server.conf')], environment);
    expect(said).toMatch(/configuration file .* is valid|unknown field "sync_interval"/);
  });
});

const run = (program: string, parameters: readonly string[], environment: Record<string, string>): Promise<string> =>
  new Promise((resolve) => execFile(program, parameters, { env: environment }, (_error, stdout, stderr) => resolve(stdout + stderr)));
