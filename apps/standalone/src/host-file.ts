import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '@agentstration/service-kit';
import type { Close } from './closing.ts';

/** Where a running host tells commands on the same machine how to reach its servers. It holds a password: owner only. */
const pathIn = (dataDirectory: string): string => join(dataDirectory, 'host.json');

/** Writes it; the answer removes it again. */
export async function writeHostFile(dataDirectory: string, { Database, Nats }: Configuration): Promise<Close> {
  const environment = {
    AGENTSTRATION_DATA: dataDirectory,
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__Database__Url: Database.Url,
    Agentstration__Nats__Servers: JSON.stringify(Nats.Servers),
  };
  const path = pathIn(dataDirectory);
  await rm(path, { force: true });
  await writeFile(path, JSON.stringify(environment), { mode: 0o600 });
  return () => rm(path, { force: true });
}

/** The environment that reaches the host which runs on this data directory; undefined when none does. */
export async function readHostFile(dataDirectory: string): Promise<NodeJS.ProcessEnv | undefined> {
  const text = await readFile(pathIn(dataDirectory), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as NodeJS.ProcessEnv);
}
