import 'reflect-metadata';
import { EventEmitter, once } from 'node:events';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { Public } from '../identity/access.ts';
import { runService } from './run-service.ts';
import { startService } from './running-service.fixture.ts';

/** A process whose end can be watched. */
class ProcessTwin extends EventEmitter {
  readonly codes: number[] = [];
  written = '';
  readonly stderr = { write: (text: string) => (this.written += text) };
  exit(code: number): void {
    this.codes.push(code);
    this.emit('exited');
  }
}

describe('runService', () => {
  it(verifies('SERVICE-004', 'prints a wrong configuration plainly and exits with 1'), async () => {
    const host = new ProcessTwin();
    const error = new ConfigurationError([
      { key: 'Agentstration:Http:Port', variable: 'Agentstration__Http__Port', message: 'must be other' },
    ]);
    runService(() => Promise.reject(error), host);
    await once(host, 'exited');
    expect(host.codes).toEqual([1]);
    expect(host.written).toBe('The configuration cannot be used:\n  Agentstration:Http:Port (Agentstration__Http__Port) must be other\n');
  });

  it(
    verifies('SERVICE-007', 'prints one line for a start that failed for what a person must mend, and the whole error for others'),
    async () => {
      class NotThere extends Error {
        readonly explainsItself = true;
      }
      const host = new ProcessTwin();
      runService(() => Promise.reject(new NotThere('The broker is not there.')), host);
      await once(host, 'exited');
      expect([host.written, host.codes]).toEqual(['The broker is not there.\n', [1]]);
      const other = new ProcessTwin();
      runService(() => Promise.reject(new Error('a mistake of ours')), other);
      await once(other, 'exited');
      expect([other.written, other.codes]).toEqual(['', [1]]);
    },
  );

  it('names the port that is taken, and the setting', async () => {
    const host = new ProcessTwin();
    runService(() => Promise.reject(Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 5100 })), host);
    await once(host, 'exited');
    expect(host.written).toMatch(/Port 5100 is in use.*Agentstration:Http:Port/);
    expect(host.codes).toEqual([1]);
  });

  it(verifies('SERVICE-003', 'a signal closes once and exits with 0, also when it comes during the start'), async () => {
    const host = new ProcessTwin();
    const calls: string[] = [];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    runService(async () => {
      await begun;
      return { close: () => Promise.resolve(calls.push('closed')) };
    }, host);
    host.emit('SIGTERM');
    expect(calls).toEqual([]);
    begin();
    await once(host, 'exited');
    expect([calls, host.codes]).toEqual([['closed'], [0]]);
  });

  it('a second signal does not wait, a failed close exits with 1', async () => {
    const stuck = new ProcessTwin();
    runService(() => Promise.resolve({ close: () => new Promise(() => undefined) }), stuck);
    stuck.emit('SIGTERM');
    stuck.emit('SIGINT');
    expect(stuck.codes).toEqual([1]);
    const broken = new ProcessTwin();
    runService(() => Promise.resolve({ close: () => Promise.reject(new Error('no')) }), broken);
    broken.emit('SIGTERM');
    await once(broken, 'exited');
    expect(broken.codes).toEqual([1]);
  });
});

describe('closing a service', () => {
  const order: string[] = [];
  let release = (): void => undefined;

  @Controller()
  class SlowController implements OnApplicationShutdown {
    @Get('slow')
    @Public()
    async slow(): Promise<object> {
      order.push('arrived');
      await new Promise<void>((resolve) => (release = resolve));
      order.push('answered');
      return { whole: true };
    }
    onApplicationShutdown(): void {
      order.push('let go');
    }
  }
  @Module({ controllers: [SlowController] })
  class SlowModule {}

  it(verifies('SERVICE-003', 'answers what is in flight, takes nothing new, then lets go of what requests need'), async () => {
    order.length = 0;
    const service = await startService(SlowModule);
    await (await fetch(`${service.url}/livez`)).text();
    const answer = fetch(`${service.url}/slow`);
    await eventually(() => expect(order).toEqual(['arrived']), { within: 5000 });
    const closed = service.stop();
    await eventually(() => expect(fetch(`${service.url}/livez`)).rejects.toThrow(), { within: 5000 });
    release();
    const response = await answer;
    expect(await response.json()).toEqual({ whole: true });
    expect(response.headers.get('connection')).toBe('close');
    await closed;
    expect(order).toEqual(['arrived', 'answered', 'let go']);
  });

  it('cuts what does not end in time', async () => {
    order.length = 0;
    const service = await startService(SlowModule, { Agentstration__Http__ShutdownTimeoutMs: '100' });
    const answer = fetch(`${service.url}/slow`).then(
      () => 'answered',
      () => 'cut',
    );
    await eventually(() => expect(order).toEqual(['arrived']), { within: 5000 });
    const start = performance.now();
    await service.stop();
    expect(performance.now() - start).toBeLessThan(3000);
    expect(await answer).toBe('cut');
    release();
  });
});
