import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRequest, ToolResult } from '@agentstration/contracts';
import { type Requester, request } from '../support/system/requester.ts';
import { seededRandom } from '../simulation/scheduler.ts';

/** One request and what became of it, as its requester saw it. */
export interface HistoryEntry {
  readonly request: ToolRequest;
  readonly tool: WorkloadTool;
  /** False when the broker did not say that it accepted the request: it may be there all the same. */
  accepted: boolean;
  result: ToolResult | undefined;
}

/** What the requests ask for: tools of the test server, one of them denied by a hook. */
export type WorkloadTool = 'ok' | 'slow' | 'denied' | 'once';

const tools: readonly WorkloadTool[] = ['ok', 'ok', 'slow', 'denied', 'once'];

/** A seeded stream of requests from one requester, until it is told to end. */
export class Workload {
  readonly history: HistoryEntry[] = [];
  #ending = false;
  readonly #running: Promise<void>;

  constructor(
    private readonly requester: Requester,
    private readonly options: { readonly seed: number; readonly everyMs: number; readonly prefix: string },
  ) {
    this.#running = this.#run();
  }

  /** Stops asking and waits until every accepted request has its result, or the time is over. */
  async settle(withinMs: number): Promise<void> {
    this.#ending = true;
    await this.#running;
    const deadline = performance.now() + withinMs;
    for (const entry of this.history) {
      if (!entry.accepted) continue;
      const left = Math.max(1, deadline - performance.now());
      entry.result = await this.requester.result(entry.request, { within: left }).catch(() => undefined);
    }
  }

  async #run(): Promise<void> {
    const random = seededRandom(this.options.seed);
    for (let index = 0; !this.#ending; index++) {
      const tool = tools[Math.floor(random() * tools.length)] ?? 'ok';
      const toolCallId = `${this.options.prefix}-${index}`;
      const asked = request(toolCallId, tool, { requestId: toolCallId, arguments: { call: toolCallId, ms: Math.floor(random() * 80) } });
      const entry: HistoryEntry = { request: asked, tool, accepted: false, result: undefined };
      this.history.push(entry);
      await this.requester.publish(asked).then(
        () => void (entry.accepted = true),
        () => undefined,
      );
      await sleep(this.options.everyMs);
    }
  }
}
