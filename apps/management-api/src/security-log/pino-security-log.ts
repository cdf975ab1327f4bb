import type { Logger } from 'pino';
import type { SecurityLog } from './security-log.ts';

/** One line per write, told apart from the others by `log: security`. */
export function pinoSecurityLog(logger: Logger): SecurityLog {
  const child = logger.child({ log: 'security' });
  return { record: (entry) => child.info(entry, `${entry.action} ${entry.outcome}`) };
}
