import { JetStreamJournal, JournalVerifier } from '@agentstration/journal';
import type { Configuration } from '@agentstration/service-kit';
import { Outbox } from '@agentstration/store';
import { jetstream } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import { OutboxPublisher } from '../publish-outbox/outbox-publisher.ts';
import { publishMessage } from '../publish-outbox/publish-message.ts';
import type { Connections } from './connections.ts';

/** Sends what the outbox holds, until the connections close. Facts go to a Journal that was found to be what it must be. */
export async function startPublisher(open: Connections, configuration: Configuration, logger: Logger): Promise<OutboxPublisher> {
  const log = logger.child({ part: 'outbox' });
  const publishTimeoutMs = configuration.ToolExecution.PublishTimeoutMs;
  const verifier = new JournalVerifier({
    connection: open.nats,
    requiredDurability: configuration.Journal.RequiredDurability,
    monitoringUrls: configuration.Nats.MonitoringUrls,
  });
  await verifier.start();
  const journal = new JetStreamJournal({ connection: open.nats, verifier, publishTimeoutMs });
  const ports = { journal, jetStream: jetstream(open.nats), publishTimeoutMs };
  const publisher = new OutboxPublisher({
    outbox: new Outbox(open.database),
    publish: (message) => publishMessage(ports, message),
    warn: (detail) => log.warn(detail),
  });
  publisher.start();
  open.beforeClose(async () => {
    await publisher.stop();
    await verifier.stop();
  });
  return publisher;
}
