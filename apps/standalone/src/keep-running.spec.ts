import { eventually, startNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { keepRunning } from './keep-running.ts';

const watch = (troubles: string[], lost: unknown[]) => ({
  name: 'The NATS server',
  onTrouble: (message: string) => void troubles.push(message),
  onLost: (error: unknown) => void lost.push(error),
});

describe('keepRunning', () => {
  it(verifies('HOST-011', 'starts a killed server again at its place, and leaves one alone that is to end'), async () => {
    const troubles: string[] = [];
    const lost: unknown[] = [];
    const nats = await startNatsServer();
    const leave = keepRunning(nats, watch(troubles, lost));
    const { pid } = nats;
    process.kill(pid, 'SIGKILL');
    await eventually(async () => {
      expect(nats.pid).not.toBe(pid);
      expect((await fetch(`${nats.monitoringUrl}/healthz`)).status).toBe(200);
    });
    leave();
    await nats.stop();
    expect(troubles).toEqual(['The NATS server ended by SIGKILL; it is started again.']);
    expect(lost).toEqual([]);
  });

  it('tells when a server does not come back', async () => {
    const lost: unknown[] = [];
    const refusal = new Error('the port is in use');
    const gone = { exited: Promise.resolve({ code: 1, signal: null }), restart: () => Promise.reject(refusal) };
    keepRunning(gone, watch([], lost));
    await eventually(() => expect(lost).toEqual([refusal]));
  });
});
