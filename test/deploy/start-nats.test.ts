import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { deploy } from './read-compose.ts';

const run = promisify(execFile);

describe('deploy/start-nats.sh', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentstration-nats-'));
    await cp(deploy, folder, { recursive: true, filter: (path) => !path.endsWith('/secrets') });
    await run(process.execPath, [join(folder, 'create-secrets.mjs')]);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Lets nats-server read its configuration and end. What an older one does not know yet is left out. */
  async function check(): Promise<string> {
    const server = await findNatsServer();
    const { stdout } = await run(server, ['--version']);
    const configuration = join(folder, 'nats/nats-server.conf');
    if (/v2\.[0-9]\./.test(stdout))
      await writeFile(configuration, (await readFile(configuration, 'utf8')).replace(/^\s*sync_interval:.*$/m, ''));
    await mkdir(join(folder, 'bin'));
    await cp(server, join(folder, 'bin/nats-server'));
    const env = {
      PATH: `${join(folder, 'bin')}:${dirname(server)}:${process.env.PATH}`,
      AGENTSTRATION_SECRETS: join(folder, 'secrets'),
      AGENTSTRATION_NATS_CONFIG: configuration,
      AGENTSTRATION_NATS_SERVER_NAME: 'nats',
      AGENTSTRATION_NATS_STORE: join(folder, 'store'),
    };
    const { stderr } = await run('/bin/sh', [join(folder, 'start-nats.sh'), '-t'], { env });
    return stderr;
  }

  it(verifies(['DEPLOY-003', 'DEPLOY-009'], 'gives nats-server every password that its configuration asks for, from files'), async () => {
    expect(await check()).toContain('configuration file');
  });

  it(verifies('DEPLOY-003', 'does not start without one of them'), async () => {
    await rm(join(folder, 'secrets/nats-password-tool-executor'));
    await expect(check()).rejects.toThrow('nats-password-tool-executor');
  });
});
