import { readFileSync } from 'node:fs';
import { tools } from './tools.mjs';

const latest = '2025-11-25';

/** The MCP server itself, whatever carries its messages. One per connection or session. */
export class Protocol {
  constructor(flags, record) {
    this.flags = flags;
    this.record = record;
  }

  /**
   * What becomes of one message: an ending as in `tools.mjs`, or undefined when there is nothing to answer.
   * `carrier` gives `notify(message)`, `noise(text)` and the `credential` that came with the message.
   */
  async handle(message, carrier) {
    const { method, params = {}, id } = message;
    if (method === 'notifications/cancelled') this.record({ event: 'cancelled', requestId: params.requestId });
    if (id === undefined || method === undefined) return undefined;
    if (method === 'initialize') return this.initialize(params);
    if (method === 'tools/list') return { kind: 'result', result: this.list(params.cursor) };
    if (method === 'tools/call') return this.call(params, id, carrier);
    if (method === 'ping') return { kind: 'result', result: {} };
    return { kind: 'error', code: -32_601, message: 'Method not found' };
  }

  initialize({ protocolVersion = latest }) {
    if (this.flags['hang-initialize']) return { kind: 'silence' };
    const result = {
      protocolVersion: this.flags.protocol ?? protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'test-server', version: '1.0.0' },
    };
    return { kind: 'result', result };
  }

  list(cursor) {
    const all = this.flags['tool-list'] ? JSON.parse(readFileSync(this.flags['tool-list'], 'utf8')) : this.own();
    return this.page(all, cursor);
  }

  own() {
    const all = Object.entries(tools).map(([name, { description, outputSchema }]) => ({
      name,
      title: name.toUpperCase(),
      description,
      inputSchema: { type: 'object' },
      ...(outputSchema ? { outputSchema } : {}),
    }));
    for (let added = 0; added < Protocol.added; added += 1) all.push({ name: `added-${added}`, inputSchema: { type: 'object' } });
    return all;
  }

  page(all, cursor) {
    if (this.flags['bad-tool']) all.push({ name: 'bad\u0000name' });
    if (this.flags['duplicate-names']) all.push(all[0]);
    if (this.flags['looping-cursor']) return { tools: cursor ? [] : all, nextCursor: 'again' };
    if (this.flags['endless-pages']) return { tools: [], nextCursor: String(Number(cursor ?? 0) + 1) };
    const pages = Number(this.flags.pages ?? 1);
    const page = Number(cursor ?? 0);
    const size = Math.ceil(all.length / pages);
    return { tools: all.slice(page * size, (page + 1) * size), ...(page + 1 < pages ? { nextCursor: String(page + 1) } : {}) };
  }

  async call({ name, arguments: given = {}, _meta = {} }, id, carrier) {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) return { kind: 'error', code: -32_602, message: `Unknown tool ${name}` };
    const call = { event: 'call', tool: name, arguments: given, invocationId: _meta['io.agentstration/invocationId'] };
    return tool.run({
      id,
      arguments: given,
      record: () => this.record({ ...call, credential: carrier.credential }),
      progress: (progress, total) =>
        carrier.notify({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress, total } }),
      noise: (text) => carrier.noise(text),
      addTool: () => {
        Protocol.added += 1;
        carrier.notify({ method: 'notifications/tools/list_changed' });
      },
    });
  }
}

Protocol.added = 0;

/** The text of an ending that is an answer; undefined for one that is none. */
export function answerText(id, ending) {
  if (ending.kind === 'raw') return ending.text;
  if (ending.kind === 'error') return JSON.stringify({ jsonrpc: '2.0', id, error: { code: ending.code, message: ending.message } });
  if (ending.kind === 'result' || ending.kind === 'later') return JSON.stringify({ result: ending.result, jsonrpc: '2.0', id });
  return undefined;
}
