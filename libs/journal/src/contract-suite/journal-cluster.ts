import { type NatsServer, freePort, startNatsServer } from '@agentstration/local-servers';

/**
 * Three brokers that replicate, on this machine. Their routes need ports that are known before any of them listens; when
 * somebody else was quicker to take one, all three are started again.
 */
export async function startCluster(tries = 3): Promise<readonly NatsServer[]> {
  const started = await Promise.allSettled(await launch());
  const brokers = started.flatMap((broker) => (broker.status === 'fulfilled' ? [broker.value] : []));
  if (brokers.length === started.length) return brokers;
  await Promise.all(brokers.map((broker) => broker.stop()));
  if (tries > 1) return startCluster(tries - 1);
  throw started.find((broker) => broker.status === 'rejected')?.reason;
}

async function launch(): Promise<readonly Promise<NatsServer>[]> {
  const routePorts = await Promise.all([1, 2, 3].map(() => freePort()));
  const routes = routePorts.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  return routePorts.map((port, index) => {
    const cluster = `cluster { name: spec, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
    return startNatsServer({ configuration: `server_name: broker-${index + 1}\n${cluster}` });
  });
}
