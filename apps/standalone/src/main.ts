import 'reflect-metadata';
import { createLogger, runService } from '@agentstration/service-kit';
import { startStandalone } from './start-standalone.ts';

runService(async () => {
  const { httpUrl, natsUrl, close } = await startStandalone({ onLost: giveUp });
  process.stdout.write(`agentstration ready http=${httpUrl} nats=${natsUrl}\n`);
  return close;
});

function giveUp(error: unknown): void {
  createLogger('standalone').fatal(error instanceof Error ? error.message : 'A server of this host is gone for good.');
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}
