import { createLogger, loadConfiguration, runService } from '@agentstration/service-kit';
import { provision } from './provision/provision.ts';

runService(async () => {
  const configuration = loadConfiguration();
  const log = createLogger('provision', configuration.Logging.Level);
  for (const { name, action } of await provision(configuration)) log.info({ name, action }, 'stream');
  log.info('the database schema is up to date');
  return { close: () => Promise.resolve() };
});
