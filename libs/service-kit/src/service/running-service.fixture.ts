import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import type { Configuration } from '../configuration/configuration.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { developmentToken } from '../identity/development-token.ts';
import type { Role } from '../identity/roles.ts';
import { loggerOptions } from '../logging/create-logger.ts';
import { createService } from './create-service.ts';

/** A service on a free port, for specs. */
export interface RunningService {
  readonly url: string;
  readonly configuration: Configuration;
  readonly application: NestExpressApplication;
  token(of: { workspaces: string[]; role?: Role; expiresInSeconds?: number }): Promise<string>;
  /** What was logged, line by line. */
  logged(): Record<string, unknown>[];
  /** A request whose path no client has resolved or escaped. */
  raw(method: string, path: string, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** Starts it in Development mode, unless `environment` says otherwise. */
export async function startService(module: Type | DynamicModule, environment: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const directory = await mkdtemp(join(tmpdir(), 'service-'));
  const configuration = loadConfiguration({
    environment: {
      Agentstration__Database__Url: 'postgres://nobody@127.0.0.1:1/nothing',
      Agentstration__Authentication__Mode: 'Development',
      Agentstration__DataDirectory: directory,
      ...environment,
    },
    directory,
  });
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(String(chunk)), done()) });
  const application = await createService(module, { name: 'spec', configuration, logger: pino(loggerOptions('spec'), sink) });
  await application.listen(0);
  const { port } = application.getHttpServer().address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    configuration,
    application,
    token: ({ workspaces, role = 'admin', ...more }) =>
      developmentToken({ dataDirectory: directory, tenant: 'local', workspaces, role, principal: 'someone', ...more }),
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    raw: (method, path, headers = {}) => sendRaw({ port, method, path, headers }),
    stop: async () => {
      await application.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const sendRaw = (options: { port: number; method: string; path: string; headers: Record<string, string> }): Promise<Response> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode, headers: answer.headers as Record<string, string> })),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
