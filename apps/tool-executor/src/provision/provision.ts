import { type Provisioned, provisionStreams } from '@agentstration/journal';
import { type Configuration, connectNats } from '@agentstration/service-kit';
import { migrate } from '@agentstration/store';

/** Creates the streams, their consumer and the database schema where they are missing. Idempotent; changes nothing silently. */
export async function provision(configuration: Configuration): Promise<readonly Provisioned[]> {
  const connection = await connectNats(configuration, { name: 'provision' });
  try {
    const provisioned = await provisionStreams(connection, {
      replicas: configuration.Journal.Replicas,
      journalMaximumBytes: configuration.Journal.MaximumBytes,
      requestsPerWorkspace: configuration.Requests.MaximumPerWorkspace,
      requestsMaximumBytes: configuration.Requests.MaximumBytes,
      ackWaitMs: configuration.ToolExecution.AckWaitMs,
    });
    await migrate(configuration.Database.Url);
    return provisioned;
  } finally {
    await connection.close();
  }
}
