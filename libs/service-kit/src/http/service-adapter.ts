import { type Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application, type Response } from 'express';
import { inPreferredFormat } from '../bodies/in-preferred-format.ts';
import { isLoopback } from '../configuration/check-rules.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** Slower clients hold a socket for nothing; the keep-alive outlasts what load balancers usually keep (60 s). */
const timeouts = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 };
const pollMs = 50;

/** Express as our services run it: exact paths, no ETags of its own making, and a shutdown that lets answers finish. */
export class ServiceAdapter extends ExpressAdapter {
  private closing = false;

  constructor(private readonly configuration: Configuration) {
    const application = express();
    application.enable('case sensitive routing').disable('etag').disable('x-powered-by');
    super(application);
    this.endConnectionsWhileClosing(application);
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

  /** A text whose type is known goes out as it is: Express would copy it to a `Buffer` first. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const answer = inPreferredFormat(body, response);
    if (typeof answer !== 'string' || !response.hasHeader('Content-Type')) return super.reply(response, answer, statusCode) as unknown;
    if (statusCode !== undefined) response.status(statusCode);
    return response.end(answer);
  }

  override beforeClose(): void {
    super.beforeClose();
    this.closing = true;
  }

  /** Takes no new connection, lets requests in flight end, and cuts what is left after `Http:ShutdownTimeoutMs`. */
  override async close(): Promise<unknown> {
    this.closing = true;
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

  /**
   * Once the service has been told to end, each answer whose head is not written yet ends its connection, so that the
   * client's next request finds another process.
   */
  private endConnectionsWhileClosing(application: Application): void {
    // The prototype of all responses of this application; its type does not show it.
    const { response } = application as unknown as { readonly response: Response };
    const isClosing = (): boolean => this.closing;
    response.writeHead = function writeHead(this: Response, ...parameters: [number]): Response {
      if (isClosing()) this.setHeader('Connection', 'close');
      return ServerResponse.prototype.writeHead.apply(this, parameters) as Response;
    };
  }
}
