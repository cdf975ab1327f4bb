import type { DiscoveredTool } from '@agentstration/contracts';
import {
  type ConfiguredProvider,
  DiscoveryFailed,
  type Permit,
  type ProviderCall,
  type ProviderOutcome,
  type ToolDiscovery,
  type ToolProviders,
} from '@agentstration/governance';

/** What a scripted tool does once it is really called: the permit is spent by then. */
export type ScriptedTool = (call: ProviderCall) => Promise<ProviderOutcome> | ProviderOutcome;

/** One call that a scripted tool saw: the fake's oracle. */
export interface FakeInvocation {
  readonly invocationId: string;
  readonly externalToolId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const answersOk: ScriptedTool = () => ({ kind: 'answered', result: { content: [{ type: 'text', text: 'ok' }] }, isError: false });

/**
 * Tool providers in memory, for tests: they spend the permit like the real ones and answer what was scripted. A tool
 * without a script answers `ok`.
 */
export class FakeToolProviders implements ToolProviders, ToolDiscovery {
  /** Every call that was really made, in order. */
  readonly invocations: FakeInvocation[] = [];
  readonly #scripts = new Map<string, ScriptedTool>();
  readonly #tools = new Map<string, readonly DiscoveredTool[]>();
  readonly #ending = new AbortController();

  /** @param now the clock that permits were made with */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Scripts what the tool does from now on: a function, or one outcome for every call. */
  script(externalToolId: string, behaviour: ScriptedTool | ProviderOutcome): this {
    this.#scripts.set(externalToolId, typeof behaviour === 'function' ? behaviour : () => behaviour);
    return this;
  }

  /** What {@link discover} finds at that provider. */
  offer(providerId: string, tools: readonly DiscoveredTool[]): this {
    this.#tools.set(providerId, tools);
    return this;
  }

  async call(permit: Permit, call: ProviderCall): Promise<ProviderOutcome> {
    if (this.#ending.signal.aborted) return { kind: 'not_sent', code: 'provider_unavailable' };
    const { providerId, externalToolId } = permit.attempt;
    if (providerId !== call.provider.providerId || externalToolId !== call.externalToolId)
      return { kind: 'not_sent', code: 'provider_not_permitted' };
    if (call.signal.aborted) return { kind: 'not_sent', code: 'cancelled' };
    if (!permit.use(this.now()).usable) return { kind: 'not_sent', code: 'permit_expired' };
    this.invocations.push({ invocationId: permit.attempt.invocationId, externalToolId, arguments: call.arguments });
    return this.#untilItEnds(call);
  }

  discover(provider: ConfiguredProvider): Promise<readonly DiscoveredTool[]> {
    const tools = this.#tools.get(provider.providerId);
    if (tools && !this.#ending.signal.aborted) return Promise.resolve(tools);
    return Promise.reject(new DiscoveryFailed('provider_unreachable', 'The provider cannot be reached.'));
  }

  prepare(_provider: ConfiguredProvider): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#ending.abort();
    return Promise.resolve();
  }

  /** A script that does not settle ends as the real thing does: by the time limit or by cancellation. */
  async #untilItEnds(call: ProviderCall): Promise<ProviderOutcome> {
    const script = this.#scripts.get(call.externalToolId) ?? answersOk;
    let letGo = (): void => undefined;
    const ended = new Promise<ProviderOutcome>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'unknown', code: 'provider_timeout' }), call.timeoutMs);
      const cancel = (): void => resolve({ kind: 'unknown', code: 'cancelled' });
      const lose = (): void => resolve({ kind: 'unknown', code: 'provider_connection_lost' });
      call.signal.addEventListener('abort', cancel, { once: true });
      this.#ending.signal.addEventListener('abort', lose, { once: true });
      letGo = () => {
        clearTimeout(timer);
        call.signal.removeEventListener('abort', cancel);
        this.#ending.signal.removeEventListener('abort', lose);
      };
    });
    try {
      return await Promise.race([script(call), ended]);
    } catch {
      return { kind: 'unknown', code: 'provider_connection_lost' };
    } finally {
      letGo();
    }
  }
}
