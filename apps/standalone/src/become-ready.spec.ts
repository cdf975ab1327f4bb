import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { becomeReady } from './become-ready.ts';

describe('a host that becomes ready', () => {
  let server: Server;
  let url: string;
  let asked: number;
  /** What `/readyz` answers, in turn; the last one for ever. */
  let answers: object[];
  const red = (reason?: string) => ({ ready: false, checks: { database: { ready: true }, journal: { ready: false, reason } } });

  beforeEach(async () => {
    asked = 0;
    server = createServer((_request, response) => {
      const answer = answers[Math.min(asked++, answers.length - 1)] as { ready: boolean };
      response.writeHead(answer.ready ? 200 : 503).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => void server.close().closeAllConnections());

  it(verifies('HOST-015', 'is waited for'), async () => {
    answers = [red('soon'), red('sooner'), { ready: true, checks: {} }];
    await becomeReady(url);
    expect(asked).toBe(3);
  });

  it(verifies('HOST-015', 'says in one line what is not ready, and why'), async () => {
    answers = [red('the stream is gone')];
    await expect(becomeReady(url, 100)).rejects.toMatchObject({
      explainsItself: true,
      message: 'The host does not get ready. journal: the stream is gone',
    });
    answers = [red()];
    await expect(becomeReady(url, 100)).rejects.toThrow('journal: not ready');
  });

  it(verifies('HOST-015', 'is not waited for where its broker cannot be as durable as is required'), async () => {
    answers = [
      red('Journal:RequiredDurability is power, the Journal reaches process: N1 acknowledges before it fsyncs (jetstream { … }).'),
    ];
    await expect(becomeReady(url)).rejects.toThrow('acknowledges before it fsyncs');
    expect(asked).toBe(1);
  });
});
