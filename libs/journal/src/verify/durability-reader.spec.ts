import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { connect } from '@nats-io/transport-node';
import { DurabilityReader } from './durability-reader.ts';

/** What nats-server 2.10 and newer answer on `/varz`. */
const variables = (name: string, syncAlways?: boolean) => ({
  server_name: name,
  jetstream: { config: { store_dir: '/data', ...(syncAlways === undefined ? {} : { sync_always: syncAlways }) } },
});

describe('DurabilityReader', () => {
  const endpoints: Server[] = [];
  const endpoint = async (answer: unknown, status = 200): Promise<string> => {
    const server = createServer((_request, response) =>
      response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer)),
    );
    endpoints.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  afterEach(() => Promise.all(endpoints.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

  it(verifies('JVER-007', 'is power when every broker that holds the Journal fsyncs always'), async () => {
    const urls = await Promise.all(['a', 'b', 'c'].map((name) => endpoint(variables(name, true))));
    expect(await new DurabilityReader(urls).read(['a', 'b', 'c'])).toEqual({ level: 'power' });
  });

  it(verifies('JVER-007', 'is process without monitoring endpoints'), async () => {
    expect(await new DurabilityReader([]).read(['a'])).toEqual({ level: 'process', because: 'Nats:MonitoringUrls is empty' });
  });

  it(verifies('JVER-007', 'is process when one of them acknowledges first'), async () => {
    const urls = await Promise.all([endpoint(variables('a', true)), endpoint(variables('b')), endpoint(variables('c', false))]);
    expect(await new DurabilityReader(urls).read(['a', 'b', 'c'])).toMatchObject({
      level: 'process',
      because: expect.stringMatching(/^b, c acknowledges before/) as unknown,
    });
  });

  it.each([
    ['is not asked', () => Promise.resolve('http://127.0.0.1:1')],
    ['answers no JSON', () => endpoint('<html>')],
    ['answers something else', () => endpoint('[]')],
    ['fails', () => endpoint(variables('b', true), 500)],
    ['is asked twice instead of another', () => endpoint(variables('a', true))],
  ])(verifies('JVER-007', 'is process when one of them %s'), async (_what, other) => {
    const urls = [await endpoint(variables('a', true)), await other()];
    expect(await new DurabilityReader(urls).read(['a', 'b'])).toEqual({
      level: 'process',
      because: 'no endpoint of Nats:MonitoringUrls answered for b',
    });
  });

  it(verifies('JVER-007', 'is process when nobody says who holds the Journal'), async () => {
    expect(await new DurabilityReader([await endpoint(variables('a', true))]).read([])).toMatchObject({ level: 'process' });
  });

  it('asks again only after a while, or when told to forget', async () => {
    let asked = 0;
    const counting = createServer((_request, response) => response.end(JSON.stringify(variables('a', ++asked > 1))));
    endpoints.push(counting);
    await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    const reader = new DurabilityReader([`http://127.0.0.1:${(counting.address() as AddressInfo).port}`]);
    expect(await reader.read(['a'])).toMatchObject({ level: 'process' });
    expect(await reader.read(['a'])).toMatchObject({ level: 'process' });
    reader.forget();
    expect(await reader.read(['a'])).toEqual({ level: 'power' });
  });

  it(verifies('JVER-007', 'understands a real broker'), async () => {
    const server = await startNatsServer();
    const connection = await connect({ servers: server.url });
    const name = connection.info?.server_name ?? '';
    expect(await new DurabilityReader([server.monitoringUrl]).read([name])).toMatchObject({
      level: 'process',
      because: expect.stringContaining(`${name} acknowledges before it fsyncs`) as unknown,
    });
    await connection.close();
    await server.stop();
  });
});
