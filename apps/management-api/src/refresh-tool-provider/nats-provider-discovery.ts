import { type DiscoverReply, type DiscoverRequest, type Scope, discoverSubject } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import { NoRespondersError, RequestError, TimeoutError, type NatsConnection } from '@nats-io/transport-node';
import type { ProviderDiscovery } from './provider-discovery.ts';

/** The executor bounds a discovery itself; this bounds the wait for an executor that died over it. */
const discoveryTimeoutMs = 60_000;

/** {@link ProviderDiscovery} over core NATS. */
export class NatsProviderDiscovery implements ProviderDiscovery {
  constructor(
    private readonly connection: NatsConnection,
    private readonly timeoutMs = discoveryTimeoutMs,
  ) {}

  async discover(scope: Scope, request: DiscoverRequest): Promise<DiscoverReply> {
    try {
      const reply = await this.connection.request(discoverSubject(scope), JSON.stringify(request), { timeout: this.timeoutMs });
      return readReply(reply.json());
    } catch (error) {
      throw toProblem(error);
    }
  }
}

function readReply(reply: unknown): DiscoverReply {
  const { tools, error } = (reply ?? {}) as { tools?: unknown; error?: { code?: unknown; message?: unknown } };
  if (Array.isArray(tools) || (typeof error?.code === 'string' && typeof error.message === 'string')) return reply as DiscoverReply;
  throw new SyntaxError('Not a discovery reply');
}

function toProblem(error: unknown): ProblemError {
  const headers = { 'Retry-After': '5' };
  const nobody = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
  if (nobody) return new ProblemError('unavailable', 'No tool executor is running, and only it reaches providers', { headers });
  if (error instanceof TimeoutError) return new ProblemError('unavailable', 'The tool executor did not answer in time', { headers });
  return new ProblemError('unavailable', 'The tool executor cannot be asked at the moment', { headers });
}
