import { type JsMsg, type NatsConnection, StringCodec, connect } from 'nats';

/** A result as the requester sees it. */
export interface DemoResult {
  readonly outcome: string;
  readonly attempt: number;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

const text = StringCodec();
const workspace = 'agentstration.tools.v1.local.demo';

/**
 * A service that asks for tool calls, with nothing but a NATS client: it publishes on a subject and reads another one.
 * (This is the `nats` package, the older line of the client; any NATS client in any language does the same.)
 */
export class DemoRequester {
  private constructor(private readonly connection: NatsConnection) {}

  static async connect(url: string): Promise<DemoRequester> {
    return new DemoRequester(await connect({ servers: url, inboxPrefix: '_INBOX.local.demo' }));
  }

  /** Publishes one request; the acknowledgement means that it is accepted. Resolves with the result. */
  async request(
    request: { readonly run: { readonly runId: string }; readonly toolCallId: string } & Record<string, unknown>,
  ): Promise<DemoResult> {
    const results = this.connection.subscribe(`${workspace}.result.runtime.${request.run.runId}.${request.toolCallId}`, { max: 1 });
    await this.connection.jetstream().publish(`${workspace}.request`, text.encode(JSON.stringify(request)));
    for await (const message of results) return JSON.parse(text.decode(message.data)) as DemoResult;
    throw new Error('The connection was closed before the result came.');
  }

  /** Resolves when the Journal holds a fact of that type for the tool call. */
  async untilFact(type: string, subject: string): Promise<void> {
    for await (const message of await this.#facts(subject)) {
      if (readType(message) === type) return;
    }
  }

  /** The facts of one tool call in journal order. */
  async facts(
    subject: string,
    count: number,
  ): Promise<readonly { readonly sequence: number; readonly type: string; readonly invocationId: string }[]> {
    const facts = [];
    for await (const message of await this.#facts(subject)) {
      const { data } = message.json<{ data: { invocationId: string } }>();
      facts.push({ sequence: message.seq, type: readType(message), invocationId: data.invocationId });
      if (facts.length === count) break;
    }
    return facts;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #facts(subject: string) {
    const consumer = await this.connection.jetstream().consumers.get('AGENTSTRATION_JOURNAL', { filterSubjects: subject });
    return consumer.consume();
  }
}

const readType = (message: JsMsg): string => message.json<{ type: string }>().type.replace(/^io\.agentstration\.(.*)\.v1$/, '$1');
