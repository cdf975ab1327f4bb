import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** What the framework tells about its own assembly: dozens of lines at each start that nobody asked for. */
const assembly = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication', 'NestMicroservice']);

/** The framework's words in our log; those about its assembly only as detail. */
@Injectable()
export class NestLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && assembly.has(context)) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
