import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRequest, ToolResult } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { seededRandom } from '../simulation/scheduler.ts';
import { type Requester, request } from '../support/system/requester.ts';

/** One request and what became of it, as its requester saw it. */
export interface HistoryEntry {
  readonly request: ToolRequest;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
  /** Whether the broker said, when it was first sent, that it accepted the request: it may be there all the same. */
  accepted: boolean;
  /** The first result: a later one is the recorded outcome told again. */
  result: ToolResult | undefined;
}

/** What the requests ask for: tools of the test server, one of them denied by a hook, one `AtMostOnce`. */
const tools = ['ok', 'ok', 'slow', 'denied', 'once'] as const;
/** How often a request is sent twice at once, as a requester does that is not sure. */
const sentTwice = 0.1;

/** A seeded stream of requests from one requester, until it is told to end. */
export class Workload {
  readonly history: HistoryEntry[] = [];
  readonly #byId = new Map<string, HistoryEntry>();
  readonly #publishing = new Set<Promise<void>>();
  #ending = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly requester: Requester,
    private readonly options: { readonly seed: number; readonly everyMs: number; readonly prefix: string },
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Asks for one more call; its id says what it is for. */
  ask(tool: string, own: Partial<ToolRequest> = {}): HistoryEntry {
    const toolCallId = `${this.options.prefix}-${this.history.length}`;
    const asked = request(toolCallId, tool, { requestId: toolCallId, ...own, arguments: { ...own.arguments, call: toolCallId } });
    const entry: HistoryEntry = { request: asked, askedAt: performance.now(), accepted: false, result: undefined };
    this.history.push(entry);
    this.#byId.set(toolCallId, entry);
    this.#send(entry);
    return entry;
  }

  told(result: ToolResult): void {
    const entry = this.#byId.get(result.toolCallId);
    if (entry) entry.result ??= result;
  }

  resultOf(toolCallId: string): ToolResult | undefined {
    return this.#byId.get(toolCallId)?.result;
  }

  /** Whether this is the id of one of its tool calls. */
  knows(toolCallId: unknown): boolean {
    return this.#byId.has(toolCallId as string);
  }

  /** Waits until a request that was asked for from now on has succeeded. Answers after how many milliseconds. */
  async succeeds(within: number): Promise<number> {
    const since = performance.now();
    await eventually(
      () => {
        if (!this.history.some(({ askedAt, result }) => askedAt >= since && result?.outcome === 'Succeeded'))
          throw new Error(`No new request has succeeded. The last results: ${this.#lastResults()}`);
      },
      { within, every: 10 },
    );
    return Math.round(performance.now() - since);
  }

  /** Stops asking. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#running;
    await Promise.all(this.#publishing);
  }

  /** Waits until no request will be delivered any more: every accepted one has ended, or is lost. */
  async rests(within: number): Promise<void> {
    await eventually(
      async () => {
        const undelivered = await this.requester.undelivered();
        if (undelivered > 0) throw new Error(`${undelivered} requests are still to be delivered.`);
      },
      { within, every: 25 },
    );
  }

  /** What a careful requester does: a request without an acknowledgement or without a result is sent again, as it was. */
  async resendUnanswered(within: number): Promise<void> {
    const unanswered = this.history.filter(({ result }) => result === undefined);
    await Promise.all(unanswered.map(({ request }) => this.requester.publish(request).catch(() => undefined)));
    const told = () => {
      const still = this.history.filter(({ result }) => result === undefined).length;
      if (still > 0) throw new Error(`${still} requests have no result.`);
    };
    await eventually(told, { within, every: 10 }).catch(() => undefined);
  }

  #send(entry: HistoryEntry): void {
    const sent = this.requester.publish(entry.request).then(
      () => void (entry.accepted = true),
      () => undefined,
    );
    this.#publishing.add(sent);
    void sent.finally(() => this.#publishing.delete(sent));
  }

  async #run(): Promise<void> {
    const random = seededRandom(this.options.seed);
    while (!this.#ending) {
      const tool = tools[Math.floor(random() * tools.length)] ?? 'ok';
      const entry = this.ask(tool, { arguments: { ms: Math.floor(random() * 80) } });
      if (random() < sentTwice) this.#send(entry);
      await sleep(this.options.everyMs);
    }
  }

  #lastResults(): string {
    return this.history
      .flatMap(({ result }) => (result ? [result.failure?.code ?? result.outcome] : []))
      .slice(-3)
      .join(', ');
  }
}
