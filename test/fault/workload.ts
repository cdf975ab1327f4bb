import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRequest, ToolResult } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { seededRandom } from '../simulation/scheduler.ts';
import { request } from '../support/system/requester.ts';
import type { Party } from './parties.ts';
import { nameOf } from './scopes.ts';

/** One request and what became of it, as its requester saw it. */
export interface HistoryEntry {
  readonly party: Party;
  readonly request: ToolRequest;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
  /** Whether the broker said, when it was first sent, that it accepted the request: it may be there all the same. */
  accepted: boolean;
  /** The first result: a later one is the recorded outcome told again. */
  result: ToolResult | undefined;
}

/** What the requests ask for: tools of both providers, two that hooks stop, two `AtMostOnce`. */
const tools = ['local.ok', 'remote.ok', 'local.slow', 'local.denied', 'remote.denied', 'local.once', 'remote.once'] as const;
/** How often a request is sent twice at once, as a requester does that is not sure. */
const sentTwice = 0.1;

/** A queue that is not empty counts as at rest when nothing of it was to be delivered for so long. */
const idleForMs = 5_000;

/** A tool call, unlike any other of any Workspace: `acme/support F1-7-1-12`. Two Workspaces use the same ids. */
export const keyOf = (workspace: string, toolCallId: string): string => `${workspace} ${toolCallId}`;

/** A seeded stream of requests from the requesters of several Workspaces, until it is told to end. */
export class Workload {
  readonly history: HistoryEntry[] = [];
  readonly #byKey = new Map<string, HistoryEntry>();
  readonly #asked = new Map<Party, number>();
  readonly #publishing = new Set<Promise<void>>();
  #ending = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly parties: readonly Party[],
    private readonly options: { readonly seed: number; readonly everyMs: number; readonly prefix: string },
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Asks for one more call. Its id says what it is for; its arguments say it too, with the Workspace, and come back. */
  ask(toolId: string, given: Readonly<Record<string, unknown>> = {}, party: Party = this.parties[0] as Party): HistoryEntry {
    const count = this.#asked.get(party) ?? 0;
    this.#asked.set(party, count + 1);
    const toolCallId = `${this.options.prefix}-${count}`;
    const workspace = nameOf(party.scope);
    const asked = request(toolCallId, '', { toolId, requestId: toolCallId, arguments: { ...given, call: toolCallId, workspace } });
    const entry: HistoryEntry = { party, request: asked, askedAt: performance.now(), accepted: false, result: undefined };
    this.history.push(entry);
    this.#byKey.set(keyOf(workspace, toolCallId), entry);
    this.send(entry);
    return entry;
  }

  /** Sends a request, also a second time. */
  send(entry: HistoryEntry): void {
    const sent = entry.party.requester.publish(entry.request).then(
      () => void (entry.accepted = true),
      () => undefined,
    );
    this.#publishing.add(sent);
    void sent.finally(() => this.#publishing.delete(sent));
  }

  /** A requester heard a result on the subjects of its Workspace. */
  told(party: Party, result: ToolResult): void {
    const entry = this.#byKey.get(keyOf(nameOf(party.scope), result.toolCallId));
    if (entry) entry.result ??= result;
  }

  /** Whether this is the key of one of its tool calls. */
  knows(key: string): boolean {
    return this.#byKey.has(key);
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

  /**
   * Waits until no request will be delivered any more: every accepted one has ended, or is lost. An empty queue says so at
   * once. Otherwise nothing must be about to be delivered for a while: brokers that have just elected a leader do not know
   * of everything yet, and one whose disk was full keeps messages in the queue that it knows as acknowledged.
   */
  async rests(within: number): Promise<void> {
    const { requester } = this.parties[0] as Party;
    let idleSince: number | undefined;
    await eventually(
      async () => {
        const [undelivered, queued] = await Promise.all([requester.undelivered(), requester.queued()]);
        idleSince = undelivered === 0 ? (idleSince ?? performance.now()) : undefined;
        if (undelivered > 0) throw new Error(`${undelivered} requests are still to be delivered.`);
        if (queued > 0 && performance.now() - (idleSince ?? 0) < idleForMs) throw new Error(`${queued} requests are in the queue.`);
      },
      { within, every: 25 },
    );
  }

  /** What a careful requester does: a request without an acknowledgement or without a result is sent again, as it was. */
  async resendUnanswered(within: number): Promise<void> {
    const unanswered = this.history.filter(({ result }) => result === undefined);
    await Promise.all(unanswered.map(({ request, party }) => party.requester.publish(request).catch(() => undefined)));
    const told = () => {
      const still = this.history.filter(({ result }) => result === undefined).length;
      if (still > 0) throw new Error(`${still} requests have no result.`);
    };
    await eventually(told, { within, every: 10 }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const random = seededRandom(this.options.seed);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
    while (!this.#ending) {
      const entry = this.ask(pick(tools), { ms: Math.floor(random() * 80) }, pick(this.parties));
      if (random() < sentTwice) this.send(entry);
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
