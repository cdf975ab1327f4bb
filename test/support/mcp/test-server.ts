import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from '@agentstration/local-servers';

/** The misbehaving MCP server; its flags stand at its top. */
export const testMcpServerPath = join(import.meta.dirname, 'server.mjs');

/** What the server wrote down, in order: the truth about what was executed. */
export interface OracleEntry {
  readonly event: 'call' | 'cancelled' | 'redirected';
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly invocationId?: string;
  /** Over stdio MCP_CREDENTIAL of its environment, over HTTP the Authorization header that came with the call. */
  readonly credential?: string;
  readonly pid: number;
  readonly at: string;
}

/** Reads an oracle file; empty when nothing was executed. */
export async function readOracle(path: string): Promise<readonly OracleEntry[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OracleEntry);
}

export interface TestMcpServer extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts the server over Streamable HTTP, on a free port unless the flags name one. */
export async function startTestMcpServer(flags: readonly string[] = []): Promise<TestMcpServer> {
  const server = await startProcess({
    command: process.execPath,
    arguments: [testMcpServerPath, '--transport', 'http', ...flags],
    ready: /^listening http/,
  });
  const url = server.readyLine.replace('listening ', '');
  return { ...server, url, port: Number(new URL(url).port) };
}
