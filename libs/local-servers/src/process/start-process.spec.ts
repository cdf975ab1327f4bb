import { describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.ts';
import { startProcess } from './start-process.ts';

const sh = (script: string) => ({ command: '/bin/sh', arguments: ['-c', script] });
const nodeArguments = (script: string) => ['--no-warnings', '--input-type=module', '-e', script];

const expectGone = (pid: number) => eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { within: 10_000 });

describe('startProcess', () => {
  it('answers at the ready line and keeps what was printed', async () => {
    const server = await startProcess({ ...sh('echo first; echo listening on 7; sleep 60'), ready: /listening on \d/ });
    expect(server.readyLine).toBe('listening on 7');
    expect(server.output()).toBe('first\nlistening on 7\n');
    await expect(server.stop()).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    await expectGone(server.pid);
  });

  it('says what a process printed that ended before it was ready', async () => {
    await expect(startProcess({ ...sh('echo no licence >&2; exit 3'), ready: /ready/ })).rejects.toThrow(
      /exit code 3 before it was ready[^]*no licence/,
    );
  });

  it('ends a process that is not ready in time', async () => {
    await expect(startProcess({ ...sh('echo $$; sleep 60'), ready: /ready/, readyWithin: 200 })).rejects.toThrow(/not ready within 200 ms/);
  });

  it('kills what does not end when it is asked to, and what was suspended', async () => {
    const stubborn = await startProcess({ ...sh('trap "" TERM; echo up; while :; do sleep 1; done'), ready: /up/ });
    await expect(stubborn.stop({ within: 200 })).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    const suspended = await startProcess({ ...sh('echo up; sleep 60'), ready: /up/ });
    suspended.signal('SIGSTOP');
    await expect(suspended.stop()).resolves.toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('leaves no process that the process has started', async () => {
    const parent = await startProcess({ ...sh('sleep 60 & echo child $!; wait'), ready: /child/ });
    const child = Number(parent.readyLine.split(' ')[1]);
    await parent.kill();
    await expectGone(child);
  });

  it('does not wait for a stranger that holds its output open', async () => {
    const daemon = `require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }).once('spawn', function () { console.log('stranger', this.pid); process.exit() })`;
    const parent = await startProcess({ command: process.execPath, arguments: ['-e', daemon], ready: /stranger/ });
    await expect(parent.exited).resolves.toEqual({ code: 0, signal: null });
    process.kill(Number(parent.readyLine.split(' ')[1]));
  });

  it('does not outlive the process that started it, even one that was killed', async () => {
    const script = `
      import { startProcess } from ${JSON.stringify(new URL('start-process.ts', import.meta.url).href)};
      const child = await startProcess({ command: '/bin/sh', arguments: ['-c', 'trap "" TERM INT; echo up; sleep 60; sleep 60'], ready: /up/ });
      console.log('started', child.pid);`;
    const parent = await startProcess({ command: process.execPath, arguments: nodeArguments(script), ready: /started/ });
    // Only the parent dies here: a group is swept by whoever started it, and this one's child leads a group of its own.
    await parent.kill();
    await expectGone(Number(parent.readyLine.split(' ')[1]));
  });
});
