import 'reflect-metadata';
import { createLogger, runService } from '@agentstration/service-kit';
import { startStandalone } from './start-standalone.ts';

runService(async () => {
  let lost: unknown;
  const onLost = (error: unknown): void => {
    lost = error;
    createLogger('standalone').fatal({ err: error }, 'a server of this host does not come back');
    process.kill(process.pid, 'SIGTERM');
  };
  const { httpUrl, natsUrl, close } = await startStandalone({ onLost });
  process.stdout.write(`agentstration ready http=${httpUrl} nats=${natsUrl}\n`);
  return {
    close: async () => {
      await close();
      // Drained as well as it went; still, the host did not end because it was asked to.
      if (lost) throw new Error('A server of this host is gone', { cause: lost });
    },
  };
});
