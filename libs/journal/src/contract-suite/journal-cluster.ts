import { type NatsServer, freePort, startNatsServer } from '@agentstration/local-servers';

/** Three brokers that replicate, on this machine. */
export async function startCluster(): Promise<readonly NatsServer[]> {
  const routePorts = await Promise.all([1, 2, 3].map(() => freePort()));
  const routes = routePorts.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return Promise.all(
    routePorts.map((port, index) =>
      startNatsServer({
        configuration: `server_name: broker-${index + 1}\ncluster { name: spec, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      }),
    ),
  );
}
