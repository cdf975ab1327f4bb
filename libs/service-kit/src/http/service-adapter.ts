import type { Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { inPreferredFormat } from '../bodies/in-preferred-format.ts';
import { isLoopback } from '../configuration/check-rules.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** Slower clients hold a socket for nothing; the keep-alive outlasts what load balancers usually keep (60 s). */
const timeouts = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 };
const pollMs = 50;

/** Express as our services run it: exact paths, no ETags of its own making, and a shutdown that lets answers finish. */
export class ServiceAdapter extends ExpressAdapter {
  private closing = false;
  private readonly unanswered = new Set<Response>();

  constructor(private readonly configuration: Configuration) {
    const application = express();
    application.enable('case sensitive routing').disable('etag').disable('x-powered-by');
    super(application);
    this.use((_request: Request, response: Response, next: NextFunction) => {
      this.unanswered.add(response);
      response.once('close', () => this.unanswered.delete(response));
      if (this.closing) response.set('Connection', 'close');
      next();
    });
  }

  /** Whether the service has been told to end. */
  get isClosing(): boolean {
    return this.closing;
  }

  override initHttpServer(...parameters: Parameters<ExpressAdapter['initHttpServer']>): void {
    super.initHttpServer(...parameters);
    Object.assign(this.httpServer as Server, timeouts);
  }

  /** Without a host it listens where the configuration says; in Development mode on loopback or not at all. */
  override listen(port: string | number, ...rest: [hostname: string, callback?: () => void] | [callback?: () => void]): Server {
    const [host, callback] = typeof rest[0] === 'string' ? [rest[0], rest[1]] : [this.configuration.Http.Host, rest[0]];
    if (this.configuration.Authentication.Mode === 'Development' && !isLoopback(host)) {
      throw new Error(`Development mode listens on loopback only, not on ${host}`);
    }
    return super.listen(port, host, callback);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    return super.reply(response, inPreferredFormat(body, response), statusCode) as unknown;
  }

  override beforeClose(): void {
    super.beforeClose();
    this.sayGoodbye();
  }

  /** Takes no new connection, lets requests in flight end, and cuts what is left after `Http:ShutdownTimeoutMs`. */
  override async close(): Promise<unknown> {
    this.sayGoodbye();
    const server = this.httpServer as Server;
    if (!server.listening) return super.close();
    const idle = setInterval(() => server.closeIdleConnections(), pollMs);
    const deadline = setTimeout(() => server.closeAllConnections(), this.configuration.Http.ShutdownTimeoutMs);
    try {
      return await super.close();
    } finally {
      clearInterval(idle);
      clearTimeout(deadline);
    }
  }

  /** From now on each answer ends its connection, so that the client's next request finds another process. */
  private sayGoodbye(): void {
    this.closing = true;
    for (const response of this.unanswered) if (!response.headersSent) response.set('Connection', 'close');
  }
}
