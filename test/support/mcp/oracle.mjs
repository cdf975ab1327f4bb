import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import process from 'node:process';

/**
 * The truth about what was executed, outside of the system under test: one JSON line per event, on disk before the event
 * goes on. `{ event: 'call' | 'cancelled' | 'redirected', tool, arguments, invocationId, credential, pid, at }`.
 */
export function openOracle(path) {
  return (event) => {
    if (!path) return;
    const file = openSync(path, 'a');
    writeSync(file, `${JSON.stringify({ ...event, pid: process.pid, at: new Date().toISOString() })}\n`);
    fsyncSync(file);
    closeSync(file);
  };
}
