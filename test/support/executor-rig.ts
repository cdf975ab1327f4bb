import type { Fact, Scope, ToolDefinition, ToolRequest } from '@agentstration/contracts';
import { type CatalogueEntry, type Hook, type HookRow, decodeFact } from '@agentstration/governance';
import { InMemoryJournal, type InMemoryJournalOptions } from '@agentstration/journal/in-memory';
import { FakeToolProviders } from '@agentstration/providers/fake';
import { InMemoryAttemptStore } from '@agentstration/store/in-memory';
import {
  type Delivery,
  type DeliveryEnd,
  type ExecutorParts,
  executeToolCall,
  withinTimeLimit,
} from '@agentstration/tool-executor/testing';

export const scope: Scope = { tenantId: 'acme', workspaceId: 'support' };

/** A catalogue entry that can be called, unless a test makes it otherwise. */
export function catalogueEntry(
  own: { readonly definition?: Partial<ToolDefinition>; readonly available?: boolean; readonly providerEnabled?: boolean } = {},
): CatalogueEntry {
  return {
    toolId: 'everything.echo',
    toolName: 'everything.echo',
    externalToolId: 'echo',
    available: own.available ?? true,
    definition: {
      enabled: true,
      delivery: 'AtLeastOnce',
      timeoutMs: 60_000,
      retry: { maxAttempts: 1, backoffMs: 1_000 },
      ...own.definition,
    },
    provider: {
      scope,
      providerId: 'everything',
      generation: 1,
      definition: {
        displayName: 'Everything',
        enabled: own.providerEnabled ?? true,
        providerType: 'mcp',
        mcp: { transport: 'stdio', profile: 'everything' },
      },
    },
  };
}

export const request = (own: Partial<ToolRequest> = {}): ToolRequest => ({
  toolCallId: 'call_9',
  run: { ownerKind: 'RuntimeRun', runId: 'run-42' },
  toolId: 'everything.echo',
  agentId: 'support-agent',
  arguments: { message: 'hello' },
  ...own,
});

/** A hook of the host that answers what it is told to, whatever the types say. */
export const localHook = (
  id: string,
  answer: unknown,
  own: { readonly order?: number; readonly afterInvoke?: Hook['afterInvoke'] } = {},
): Hook => ({
  identity: { id, order: own.order ?? 0, source: 'Local' },
  evaluate: () =>
    (typeof answer === 'function' ? (answer as Hook['evaluate'])({} as never, new AbortController().signal) : answer) as never,
  ...(own.afterInvoke ? { afterInvoke: own.afterInvoke } : {}),
});

export const denyRow = (own: Partial<HookRow> & { readonly tools?: readonly string[] } = {}): HookRow => ({
  ...scope,
  namespace: 'default',
  name: 'block',
  generation: 3,
  definition: {
    displayName: 'Block',
    enabled: true,
    order: 100,
    handler: 'deny',
    selector: { tools: own.tools ?? [], providers: [], agents: [] },
    configuration: { code: 'blocked', message: 'Not on a Friday.' },
  },
  ...own,
});

export interface RigOptions {
  readonly journal?: InMemoryJournalOptions;
  readonly hooks?: readonly Hook[];
  readonly parts?: Partial<ExecutorParts>;
  readonly settings?: Partial<ExecutorParts['settings']>;
}

/** An executor over the in-memory twins, on a clock that stands still unless it is moved. */
export class ExecutorRig {
  readonly journal: InMemoryJournal;
  readonly store = new InMemoryAttemptStore().putTool(catalogueEntry());
  readonly time = { monotonic: 0, wall: Date.parse('2026-12-01T00:00:00Z') };
  readonly providers = new FakeToolProviders(() => this.time.monotonic);
  readonly queued = new Set<string>();
  readonly logged: unknown[] = [];
  /** What the meter was told. */
  readonly counted: string[] = [];
  readonly grace = new AbortController();
  readonly parts: ExecutorParts;
  #ids = 0;

  constructor(options: RigOptions = {}) {
    this.journal = new InMemoryJournal(options.journal);
    const log = (fields: unknown, message: string): void => void this.logged.push([fields, message]);
    this.parts = {
      journal: this.journal,
      store: this.store,
      providers: this.providers,
      localHooks: options.hooks ?? [],
      queue: { isQueued: (position) => Promise.resolve(this.queued.has(position)) },
      clock: { now: () => new Date(this.time.wall), monotonic: () => this.time.monotonic, sleep: () => Promise.resolve() },
      newId: () => `id-${++this.#ids}`,
      source: 'agentstration/tool-executor/rig',
      hookTimeLimit: withinTimeLimit(50),
      settings: {
        publishTimeoutMs: 3_000,
        persistArguments: false,
        maximumArgumentsLength: 64,
        redeliveryDelaysMs: [1_000, 5_000],
        ...options.settings,
      },
      log: { info: log, warn: log, error: log },
      meter: {
        attemptEnded: (outcome, kind) => void this.counted.push(kind === null ? outcome : `${outcome}:${kind}`),
        gateRefused: (reason) => void this.counted.push(`refused:${reason}`),
      },
      graceEnded: this.grace.signal,
      ...options.parts,
    };
  }

  /** Delivers a Request once. The default is the first delivery of message 1 of the queue. */
  deliver(own: Partial<Delivery> = {}): Promise<DeliveryEnd> {
    return executeToolCall(this.parts, this.delivery(own));
  }

  delivery(own: Partial<Delivery> = {}): Delivery {
    const queuePosition = own.queuePosition ?? 'queue:1';
    return {
      scope,
      request: request(),
      requestId: own.request?.requestId ?? queuePosition,
      queuePosition,
      redelivered: false,
      signal: new AbortController().signal,
      ...own,
    };
  }

  get facts(): readonly Fact[] {
    return this.journal.messages.flatMap(({ payload }) => decodeFact(payload) ?? []);
  }

  /** The short names of the facts in journal order, with what ended an attempt: `Started Governance Failed:Denied`. */
  get story(): string {
    return this.facts.map(shorten).join(' ');
  }
}

function shorten({ type, data }: Fact): string {
  const name = type.replace(/^io\.agentstration\.(?:ToolExecution)?(.*)\.v1$/, '$1').replace('GovernanceEvaluated', 'Governance');
  return 'errorCode' in data ? `${name}:${data.errorCode}` : name;
}
