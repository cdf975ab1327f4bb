import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '@agentstration/contracts';
import { startNatsServer, type NatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstream, type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { testSettings } from '../contract-suite/journal-server.ts';
import { provisionStreams, ProvisioningRefused } from './provision-streams.ts';
import { requestConsumerName } from './stream-definitions.ts';

const names = [...Object.values(streams), requestConsumerName];

describe('provisionStreams', () => {
  let server: NatsServer;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  beforeAll(async () => {
    server = await startNatsServer();
    connection = await connect({ servers: server.url });
    manager = await jetstreamManager(connection);
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const refusal = async (settings = testSettings): Promise<ProvisioningRefused> => {
    const outcome = await provisionStreams(connection, settings).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(ProvisioningRefused);
    return outcome as ProvisioningRefused;
  };
  const update = (stream: string, config: Partial<StreamConfig>) => manager.streams.update(stream, config);

  it(verifies('STREAM-001', 'creates what is missing, once, however many run at the same time'), async () => {
    const runs = await Promise.all([1, 2, 3].map(() => provisionStreams(connection, testSettings)));
    expect(runs[0]?.map(({ name }) => name)).toEqual(names);
    expect(await provisionStreams(connection, testSettings)).toEqual(names.map((name) => ({ name, action: 'unchanged' })));
  });

  it(verifies(['STREAM-001', 'STREAM-004'], 'makes a Journal that keeps everything and a queue that silences nobody'), async () => {
    const { config } = await manager.streams.info(streams.journal);
    expect(config).toMatchObject({ storage: 'file', retention: 'limits', discard: 'new', deny_delete: true, deny_purge: true, max_age: 0 });
    const consumer = await manager.consumers.info(streams.requests, requestConsumerName);
    expect(consumer.config).toMatchObject({ ack_policy: 'explicit', max_deliver: -1, max_ack_pending: -1, ack_wait: 10_000_000_000 });
    await expect(manager.streams.purge(streams.journal)).rejects.toThrow();
  });

  it(verifies('STREAM-005', 'keeps provider results in memory, the newest of a call only'), async () => {
    const client = jetstream(connection);
    const subject = 'agentstration.tools.v1.acme.demo.result.runtime.run-1.call_1';
    for (const payload of ['first', 'second']) await client.publish(subject, payload);
    const { config, state } = await manager.streams.info(streams.results, { subjects_filter: subject });
    expect(config).toMatchObject({ storage: 'memory', max_age: 300_000_000_000, allow_direct: true });
    expect(state.messages).toBe(1);
    const last = await manager.direct.getMessage(streams.results, { last_by_subj: subject });
    expect(last?.string()).toBe('second');
  });

  it(verifies('STREAM-002', 'raises the MaximumBytes of the Journal and nothing else'), async () => {
    const raised = { ...testSettings, journalMaximumBytes: testSettings.journalMaximumBytes * 2 };
    const done = await provisionStreams(connection, raised);
    expect(done.filter(({ action }) => action !== 'unchanged')).toEqual([{ name: streams.journal, action: 'raised' }]);
    expect((await manager.streams.info(streams.journal)).config.max_bytes).toBe(raised.journalMaximumBytes);
    expect((await refusal()).differences).toEqual([
      `AGENTSTRATION_JOURNAL: max_bytes is ${raised.journalMaximumBytes}, must be ${testSettings.journalMaximumBytes}`,
    ]);
    await update(streams.journal, { max_bytes: testSettings.journalMaximumBytes });
  });

  it(verifies('STREAM-003', 'refuses every other difference at once, names each with both values, and changes nothing'), async () => {
    await update(streams.journal, { max_age: 60_000_000_000, duplicate_window: 1_000_000_000 });
    await update(streams.requests, { max_msgs_per_subject: 7 });
    const { differences } = await refusal({ ...testSettings, ackWaitMs: 5000, journalMaximumBytes: testSettings.journalMaximumBytes * 2 });
    expect([...differences].sort()).toEqual([
      'AGENTSTRATION_JOURNAL: duplicate_window is 1000000000, must be 100000000',
      'AGENTSTRATION_JOURNAL: max_age is 60000000000, must be 0',
      'AGENTSTRATION_REQUESTS: max_msgs_per_subject is 7, must be 100000',
      'tool-executor: ack_wait is 10000000000, must be 5000000000',
    ]);
    expect((await manager.streams.info(streams.journal)).config.max_bytes).toBe(testSettings.journalMaximumBytes);
    await update(streams.journal, { max_age: 0, duplicate_window: 100_000_000 });
    await update(streams.requests, { max_msgs_per_subject: 100_000 });
  });

  it(verifies('STREAM-006', 'gives Nats-Msg-Id a memory of a tenth of a second'), async () => {
    const configs = await Promise.all(Object.values(streams).map(async (stream) => (await manager.streams.info(stream)).config));
    expect(configs.map(({ duplicate_window }) => duplicate_window)).toEqual([1, 1, 1, 1].map(() => 100_000_000));
  });

  it(verifies('PROV-003', 'believes what it reads back, not what it asked for'), async () => {
    const forgetful = await startNatsServer();
    const own = await connect({ servers: forgetful.url });
    const request: NatsConnection['request'] = (subject, payload, options) => {
      const asked = subject.startsWith('$JS.API.STREAM.CREATE.')
        ? new TextDecoder().decode(payload as Uint8Array).replace('"deny_purge":true', '"deny_purge":false')
        : payload;
      return own.request(subject, asked, options);
    };
    const outcome = provisionStreams(Object.assign(Object.create(own) as NatsConnection, { request }), testSettings);
    await expect(outcome).rejects.toThrow('AGENTSTRATION_JOURNAL: deny_purge is false, must be true');
    await own.close();
    await forgetful.stop();
  });

  it('says what the broker refuses', async () => {
    await manager.streams.delete(streams.deadLetters);
    await manager.streams.add({ name: 'SQUATTER', subjects: ['agentstration.tools.v1.acme.demo.dead-letter'] });
    await expect(provisionStreams(connection, testSettings)).rejects.toThrow(
      'The broker does not create AGENTSTRATION_DEAD_LETTERS: subjects overlap',
    );
    await manager.streams.delete('SQUATTER');
    expect((await provisionStreams(connection, testSettings)).filter(({ action }) => action === 'created')).toHaveLength(1);
  });

  it(verifies('STREAM-004', 'bounds the waiting requests of each Workspace by itself'), async () => {
    const small = await startNatsServer();
    const own = await connect({ servers: small.url });
    await provisionStreams(own, { ...testSettings, requestsPerWorkspace: 2 });
    const client = jetstream(own);
    const publish = (workspace: string) => client.publish(`agentstration.tools.v1.acme.${workspace}.request`, '{}');
    await publish('a');
    await publish('a');
    await expect(publish('a')).rejects.toThrow('maximum messages per subject exceeded');
    await expect(publish('b')).resolves.toMatchObject({ stream: streams.requests });
    await own.close();
    await small.stop();
  });
});
