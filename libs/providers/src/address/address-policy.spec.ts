import { createServer } from 'node:http';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBench, providerOf } from '../contract-suite/test-bench.ts';
import { AddressPolicy } from './address-policy.ts';
import { hostMatches, hostOf } from './host-pattern.ts';

const anywhere = { publicToo: true, trusted: false };
const read = (endpoint: string, allowed: readonly string[] = [], rule = anywhere) =>
  new AddressPolicy(allowed).readEndpoint(endpoint, rule);

const inside = [
  'http://127.0.0.1/mcp',
  'http://127.1/mcp',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.0.0.1.:80/',
  'http://0.0.0.0:8080/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fd12::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://192.0.0.192/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
];

describe('the address policy', () => {
  it.each(inside)('refuses %s', (endpoint) => {
    expect(() => read(endpoint)).toThrow(expect.objectContaining({ code: 'address_not_permitted' }));
  });

  it(verifies('PROV-019', 'refuses what is no http(s) URL, or carries credentials or a fragment'), () => {
    const endpoints = ['file:///etc/passwd', 'ftp://example.com/', 'example.com/mcp', '//example.com', '', 'https://user@example.com/'];
    for (const endpoint of [...endpoints, 'https://u:p@example.com/', 'https://example.com/#x', 'javascript:1', 'http://'])
      expect(() => read(endpoint)).toThrow(expect.objectContaining({ code: 'endpoint_invalid' }));
  });

  it(verifies('PROV-019', 'lets public addresses and names pass; names are judged when they are resolved'), () => {
    for (const endpoint of ['https://8.8.8.8/mcp', 'http://[2606:4700::1111]/', 'https://tools.example/mcp', 'http://localhost/'])
      expect(read(endpoint).href).toContain('http');
  });

  it(verifies('PROV-019', 'lets in what the host allows, and nothing beside it'), () => {
    const policy = new AddressPolicy(['127.0.0.1:8080', '*.svc.cluster.local', '10.0.0.0/8', '[::1]:9000', 'fd00::/8']);
    const permits = (address: string, endpoint: string) => policy.permits(address, hostOf(new URL(endpoint)), anywhere);
    expect(permits('127.0.0.1', 'http://127.0.0.1:8080/')).toBe(true);
    expect(permits('127.0.0.1', 'http://127.0.0.1:8081/')).toBe(false);
    expect(permits('127.0.0.2', 'http://localhost:8080/')).toBe(false);
    expect(permits('192.168.3.4', 'http://tools.svc.cluster.local/')).toBe(true);
    expect(permits('192.168.3.4', 'http://svc.cluster.local/')).toBe(false);
    expect(permits('192.168.3.4', 'http://evilsvc.cluster.local/')).toBe(false);
    expect(permits('10.9.8.7', 'https://anything.example/')).toBe(true);
    expect(permits('::ffff:10.9.8.7', 'https://anything.example/')).toBe(true);
    expect(permits('::1', 'http://[::1]:9000/')).toBe(true);
    expect(permits('fd12::1', 'http://x.example/')).toBe(true);
    expect(permits('fe80::1', 'http://x.example/')).toBe(false);
    expect(permits('not an address', 'http://127.0.0.1:8080/')).toBe(false);
  });

  it(verifies('PROV-019', 'refuses an allowance that it cannot understand'), () => {
    for (const entry of ['', '*', '*.', 'localhost', '10.0.0.0/33', 'http://localhost:80', '*.example.com:80', 'a b:80'])
      expect(() => new AddressPolicy([entry])).toThrow(TypeError);
  });

  it(verifies('PROV-022', 'lets no secret travel in clear text to a public address'), () => {
    const clearText = { publicToo: false, trusted: false };
    expect(() => read('http://8.8.8.8/', [], clearText)).toThrow(expect.objectContaining({ code: 'address_not_permitted' }));
    expect(() => read('http://8.8.8.8/', ['8.8.8.8:80', '0.0.0.0/0'], clearText)).toThrow();
    expect(read('http://10.0.0.1/', ['10.0.0.0/8'], clearText).hostname).toBe('10.0.0.1');
  });

  it(verifies('PROV-019', 'compares hosts without regard to case, final dot or brackets'), () => {
    const host = hostOf(new URL('http://LocalHost.:8080/'));
    expect(host).toEqual({ host: 'localhost', port: '8080' });
    expect(hostMatches('LOCALHOST:8080', host)).toBe(true);
    expect(hostMatches('localhost', host)).toBe(true);
    expect(hostMatches('localhost:80', host)).toBe(false);
    expect(hostMatches('*.host', host)).toBe(false);
    expect(hostMatches('*', host)).toBe(false);
  });
});

describe('a name that resolves to an inside address', () => {
  let bench: TestBench;
  beforeEach(async () => {
    bench = await TestBench.open();
  });
  afterEach(() => bench.close());

  it(verifies('PROV-020', 'is refused before a connection is made'), async () => {
    let connections = 0;
    const server = createServer().on('connection', () => (connections += 1));
    server.listen(0, 'localhost');
    await eventually(() => expect(server.listening).toBe(true));
    const { port } = server.address() as { port: number };
    const provider = providerOf({ transport: 'streamableHttp', endpoint: `http://localhost:${port}/mcp` });
    const outcome = await bench.call(bench.providers({ allowedPrivateHosts: [] }), provider, 'ok');
    expect(outcome).toEqual({ kind: 'not_sent', code: 'provider_not_permitted' });
    await expect(bench.providers({ allowedPrivateHosts: [] }).discover(provider)).rejects.toMatchObject({ code: 'address_not_permitted' });
    expect(connections).toBe(0);
    server.close();
  });

  it(verifies('PROV-020', 'is reached when the host allows the address that it has now'), async () => {
    const { port } = await bench.serve('--host', 'localhost');
    const provider = providerOf({ transport: 'streamableHttp', endpoint: `http://localhost:${port}/mcp` });
    const outcome = await bench.call(bench.providers({ allowedPrivateHosts: ['127.0.0.0/8', '::1/128'] }), provider, 'ok');
    expect(outcome).toMatchObject({ kind: 'answered' });
  });
});
