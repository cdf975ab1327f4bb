import type { Permit, ProviderCall, ProviderOutcome } from '@agentstration/governance';
import type { ConnectionPool, ConnectionTarget } from '../connection/connection-pool.ts';
import { Departure } from '../connection/departure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { CallLimit } from './call-limit.ts';
import { readCallResult } from './read-call-result.ts';
import { toOutcome } from './to-outcome.ts';

/** Where a call goes: a server, and the name that the tool has there. */
export interface CallRoute {
  readonly target: ConnectionTarget;
  readonly tool: string;
}

export interface CallContext {
  readonly pool: ConnectionPool;
  /** The clock of the permit. */
  readonly now: () => number;
  /** @throws ProviderFailure */
  readonly route: (call: ProviderCall) => Promise<CallRoute>;
}

/** The `_meta` key under which a cooperating server finds the attempt that calls it. */
const invocationIdKey = 'io.agentstration/invocationId';

/**
 * Calls a tool once. The permit is spent in the moment in which the request leaves. The one case of a second sending:
 * the server answers that it does not know the session (HTTP 404), so that the first was provably not executed, and the
 * permit may still be used again. Never rejects.
 */
export async function callTool(context: CallContext, permit: Permit, call: ProviderCall): Promise<ProviderOutcome> {
  const { providerId, externalToolId, invocationId } = permit.attempt;
  if (providerId !== call.provider.providerId || externalToolId !== call.externalToolId)
    return { kind: 'not_sent', code: 'provider_not_permitted' };
  const limit = new CallLimit(call.timeoutMs, call.signal);
  const send = (mayLeave: () => boolean) => sendOnce({ context, call, limit, invocationId, departure: new Departure(mayLeave) });
  try {
    const first = await send(() => permit.use(context.now()).usable);
    if (!first.sessionGone) return first.outcome;
    const second = await send(() => permit.resend(context.now()).usable);
    return second.outcome;
  } finally {
    limit.release();
  }
}

interface Sending {
  readonly context: CallContext;
  readonly call: ProviderCall;
  readonly limit: CallLimit;
  readonly departure: Departure;
  readonly invocationId: string;
}

interface Sent {
  readonly outcome: ProviderOutcome;
  readonly sessionGone: boolean;
}

async function sendOnce({ context, call, limit, departure, invocationId }: Sending): Promise<Sent> {
  try {
    const { target, tool } = await limit.race(context.route(call));
    const connection = await limit.race(context.pool.acquire(target));
    const params = { name: tool, arguments: call.arguments, _meta: { [invocationIdKey]: invocationId } };
    const result = await connection.request({ method: 'tools/call', params, signal: limit.signal, departure });
    return { outcome: readCallResult(result), sessionGone: false };
  } catch (error) {
    departure.withdraw();
    const sessionGone = error instanceof ProviderFailure && error.code === 'provider_session_gone' && limit.end === undefined;
    return { outcome: toOutcome({ error, departure, end: limit.end }), sessionGone };
  }
}
