import { Writable } from 'node:stream';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { pinoSecurityLog } from './pino-security-log.ts';
import type { SecurityRecord } from './security-log.ts';

const record: SecurityRecord = {
  ...{ action: 'resource.create', principalId: 'ada', tenantId: 'acme', workspaceId: 'demo', target: 'ToolExecutionHook default/block' },
  ...{ generationBefore: null, generationAfter: 1, outcome: 'created' },
};

describe('the security log', () => {
  it.each(['info', 'warn', 'fatal'])(verifies('API-005', 'is written whatever else is: %s'), (level) => {
    const lines: string[] = [];
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(String(chunk)), done()) });
    pinoSecurityLog(pino({ level }, sink)).record(record);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining({ log: 'security', ...record })]);
  });
});
