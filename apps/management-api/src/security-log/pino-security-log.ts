import type { Logger } from 'pino';
import type { SecurityLog } from './security-log.ts';

/** One line per write, told apart from the others by `log: security`; also where the rest of the log is told to be quiet. */
export function pinoSecurityLog(logger: Logger): SecurityLog {
  const child = logger.child({ log: 'security' }, { level: 'info' });
  return { record: (entry) => child.info(entry, `${entry.action} ${entry.outcome}`) };
}
