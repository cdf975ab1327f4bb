import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from './find-nats-server.ts';

describe('findNatsServer', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'find-nats-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function program(name: string): Promise<string> {
    const file = join(directory, name);
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, 0o755);
    return file;
  }

  it('prefers the one that is named', async () => {
    const named = await program('my-broker');
    await program('nats-server');
    await expect(findNatsServer({ environment: { AGENTSTRATION_NATS_SERVER: named, PATH: directory } })).resolves.toBe(named);
  });

  it('refuses a name that is no program, and says which setting it was', async () => {
    const environment = { AGENTSTRATION_NATS_SERVER: directory + '/missing', PATH: directory };
    await expect(findNatsServer({ environment })).rejects.toThrow(
      /AGENTSTRATION_NATS_SERVER names .*missing, which is not an executable file/,
    );
  });

  it('takes the first one on PATH', async () => {
    const found = await program('nats-server');
    await expect(findNatsServer({ environment: { PATH: `/nowhere:${directory}:/usr/sbin` } })).resolves.toBe(found);
  });

  it(verifies('HOST-009', 'says what to install, and how, when there is none and no package manager to ask'), async () => {
    const nothing = findNatsServer({ environment: { PATH: directory, XDG_CACHE_HOME: directory }, folders: [] });
    await expect(nothing).rejects.toThrow(
      /apt-get install nats-server[^]*brew install nats-server[^]*nats\.io\/download[^]*AGENTSTRATION_NATS_SERVER=/,
    );
  });
});
