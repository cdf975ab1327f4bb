import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '@agentstration/contracts';
import { type NatsServer, eventually, startNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { provisionStreams } from './provision-streams.ts';
import { restoreResults } from './restore-results.ts';

const settings = { replicas: 1, journalMaximumBytes: 1024 ** 2, ackWaitMs: 1000 };

describe('restoreResults', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  beforeAll(async () => {
    nats = await startNatsServer();
    connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    await provisionStreams(connection, settings);
  });
  afterAll(async () => {
    await connection.close();
    await nats.stop();
  });

  const names = async () => (await jetstreamManager(connection, { checkAPI: false })).streams.names().next();

  it(verifies('REQ-011', 'makes what a restarted broker forgot as provisioning would, also several times at once'), async () => {
    await nats.kill();
    await nats.restart();
    await eventually(async () => expect(await names()).not.toContain(streams.results));
    await Promise.all([restoreResults(connection, 1), restoreResults(connection, 1)]);
    await restoreResults(connection, 1);
    const actions = (await provisionStreams(connection, settings)).map(({ action }) => action);
    expect(new Set(actions)).toEqual(new Set(['unchanged']));
  });
});
