import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/**
 * The framework's words while it puts a service together, before our own logger is one of its parts: warnings and errors in
 * our log. What fails the start is thrown, too, and told once by who called.
 */
export class BootLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(): void {
    // Dozens of lines about its assembly that nobody asked for.
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') this.logger.error({ context: rest.at(-1) }, String(message));
  }
}
