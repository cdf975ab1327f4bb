import {
  type Fact,
  type Scope,
  type ToolRequest,
  type ToolResult,
  callSubject,
  cancelSubject,
  deadLetterSubject,
  inboxPrefix,
  requestSubject,
  resultSubject,
  streams,
} from '@agentstration/contracts';
import { decodeFact } from '@agentstration/governance';
import { eventually } from '@agentstration/local-servers';
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect, headers } from '@nats-io/transport-node';

/** Messages of the Journal that are asked for at once. */
const readAhead = 128;

/** A fact with its place in the Journal. */
export interface JournalEntry {
  readonly sequence: number;
  readonly subject: string;
  readonly fact: Fact;
  /** When the broker stored it, in milliseconds since the epoch. */
  readonly storedAt: number;
}

/** No message found; stream not found, which a stream in memory is after its broker was restarted. */
const notThere: readonly number[] = [10037, 10059];

/** A request for a tool of the test server. */
export const request = (toolCallId: string, tool: string, own: Partial<ToolRequest> = {}): ToolRequest => ({
  toolCallId,
  run: { ownerKind: 'RuntimeRun', runId: 'run-1' },
  toolId: `test.${tool}`,
  agentId: 'agent',
  ...own,
});

/** A service of one Workspace that asks for tool calls, and a reader of the streams. */
export class Requester {
  #read: { created: string; upTo: number; entries: JournalEntry[] } = { created: '', upTo: 0, entries: [] };

  private constructor(
    readonly connection: NatsConnection,
    readonly scope: Scope,
  ) {}

  static async connect(servers: string | string[], scope: Scope): Promise<Requester> {
    return new Requester(
      await connect({ servers, inboxPrefix: inboxPrefix(scope), maxReconnectAttempts: -1, reconnectTimeWait: 100 }),
      scope,
    );
  }

  /** Publishes a request durably; resolves when it is accepted. */
  async publish(request: ToolRequest | string | Uint8Array, given: Readonly<Record<string, string>> = {}): Promise<number> {
    const payload = typeof request === 'string' || request instanceof Uint8Array ? request : JSON.stringify(request);
    const all = headers();
    for (const [name, value] of Object.entries(given)) all.set(name, value);
    return (await jetstream(this.connection).publish(requestSubject(this.scope), payload, { headers: all })).seq;
  }

  /** Waits for the result of a tool call; `accept` tells an old one apart. */
  result(
    request: Pick<ToolRequest, 'run' | 'toolCallId'>,
    options: { readonly within?: number; readonly accept?: (result: ToolResult) => boolean } = {},
  ): Promise<ToolResult> {
    const subject = resultSubject({ ...this.scope, ...request.run, toolCallId: request.toolCallId });
    return eventually(
      async () => {
        const result = await this.#last<ToolResult>(streams.results, subject);
        if (!result || options.accept?.(result) === false) throw new Error(`No result of ${request.toolCallId} yet.`);
        return result;
      },
      { within: options.within ?? 15_000, every: 20 },
    );
  }

  /** Asks and waits through `call`, over core NATS. */
  async call(request: unknown): Promise<ToolResult> {
    return (await this.connection.request(callSubject(this.scope), JSON.stringify(request), { timeout: 15_000 })).json<ToolResult>();
  }

  cancel(cancel: unknown): void {
    this.connection.publish(cancelSubject(this.scope), JSON.stringify(cancel));
  }

  lastDeadLetter<T>(): Promise<T | undefined> {
    return this.#last<T>(streams.deadLetters, deadLetterSubject(this.scope));
  }

  /** How many requests wait or are under way. */
  async queued(): Promise<number> {
    const manager = await jetstreamManager(this.connection, { checkAPI: false });
    return (await manager.streams.info(streams.requests)).state.messages;
  }

  /**
   * How many requests will be delivered (again). Not {@link queued}: a broker whose disk was full can keep messages in the
   * queue that it knows as acknowledged.
   */
  async undelivered(): Promise<number> {
    const manager = await jetstreamManager(this.connection, { checkAPI: false });
    const { num_pending, num_ack_pending } = await manager.consumers.info(streams.requests, 'tool-executor');
    return num_pending + num_ack_pending;
  }

  /** Calls back with every result of the Workspace as it is published. */
  async onResult(listener: (result: ToolResult) => void): Promise<void> {
    const subject = resultSubject({ ...this.scope, ownerKind: 'RuntimeRun', runId: 'x', toolCallId: 'x' }).replace(/runtime\.x\.x$/, '>');
    this.connection.subscribe(subject, { callback: (error, message) => void (error ?? listener(message.json<ToolResult>())) });
    await this.connection.flush();
  }

  /** The whole Journal in order. What was read before is not read again, unless it is another Journal. */
  async journal(): Promise<readonly JournalEntry[]> {
    const manager = await jetstreamManager(this.connection, { checkAPI: false });
    const { state, created } = await manager.streams.info(streams.journal);
    if (this.#read.created !== created) this.#read = { created, upTo: 0, entries: [] };
    const read = this.#read;
    while (read.upTo < state.last_seq) {
      const length = Math.min(readAhead, state.last_seq - read.upTo);
      const sequences = Array.from({ length }, (_, index) => read.upTo + 1 + index);
      const messages = await Promise.all(sequences.map((seq) => manager.streams.getMessage(streams.journal, { seq })));
      for (const message of messages) {
        const fact = message && decodeFact(message.data);
        if (fact) read.entries.push({ sequence: message.seq, subject: message.subject, fact, storedAt: message.time.getTime() });
      }
      read.upTo += length;
    }
    return [...read.entries];
  }

  /** The facts of one tool call, shortened: `Started Governance Completed`. */
  async story(toolCallId: string): Promise<string> {
    const entries = (await this.journal()).filter(({ fact }) => 'toolCallId' in fact.data && fact.data.toolCallId === toolCallId);
    return entries.map(({ fact }) => shorten(fact)).join(' ');
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #last<T>(stream: string, subject: string): Promise<T | undefined> {
    try {
      const manager = await jetstreamManager(this.connection, { checkAPI: false });
      return (await manager.streams.getMessage(stream, { last_by_subj: subject }))?.json<T>();
    } catch (error) {
      if (error instanceof JetStreamApiError && notThere.includes(error.code)) return undefined;
      throw error;
    }
  }
}

function shorten({ type, data }: Fact): string {
  const name = type.replace(/^io\.agentstration\.(?:ToolExecution)?(.*)\.v1$/, '$1').replace('GovernanceEvaluated', 'Governance');
  return 'errorCode' in data ? `${name}:${data.errorCode}` : name;
}
