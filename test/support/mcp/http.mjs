import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Protocol, answerText } from './protocol.mjs';

/** Serves Streamable HTTP at `/mcp`, and prints `listening <url>` when it does. */
export function serveHttp(flags, record) {
  const sessions = new Map();
  const later = new Map();
  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    if (path === '/moved') return response.writeHead(307, { location: '/elsewhere' }).end();
    if (path === '/elsewhere') return (record({ event: 'redirected' }), response.writeHead(200).end());
    if (path !== '/mcp') return response.writeHead(404).end();
    if (flags.authorization && request.headers.authorization !== flags.authorization) return response.writeHead(401).end();
    if (request.method === 'GET') return resume(request, response, later);
    if (request.method === 'DELETE') return (sessions.delete(request.headers['mcp-session-id']), response.writeHead(200).end());
    const message = JSON.parse(await readAll(request));
    const session = openSession(message, request, { flags, record, sessions });
    if (typeof session === 'number') return response.writeHead(session).end();
    await answer(message, response, { ...session, flags, later });
  });
  server.listen(Number(flags.port ?? 0), flags.host ?? '127.0.0.1', () => {
    console.log(`listening http://${flags.host ?? '127.0.0.1'}:${server.address().port}/mcp`);
  });
}

async function readAll(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}

/** The session of a message, or the HTTP status that refuses it. */
function openSession(message, request, { flags, record, sessions }) {
  if (flags.sessions === 'off') return { protocol: new Protocol(flags, record) };
  if (message.method === 'initialize') {
    const id = randomUUID();
    sessions.set(id, new Protocol(flags, record));
    return { id, protocol: sessions.get(id) };
  }
  const id = request.headers['mcp-session-id'];
  if (id === undefined) return 400;
  return sessions.has(id) ? { id, protocol: sessions.get(id) } : 404;
}

async function answer(message, response, { id, protocol, flags, later }) {
  const headers = id === undefined ? {} : { 'mcp-session-id': id };
  if (message.id === undefined || message.method === undefined) {
    await protocol.handle(message, {});
    return response.writeHead(202, headers).end();
  }
  const asJson = flags.answers === 'json';
  const open = () =>
    response.headersSent || response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', connection: 'close' });
  const send = (text, event = '') => (open(), response.write(`${event}data: ${text}\n\n`));
  const notify = (sent) => asJson || send(JSON.stringify({ jsonrpc: '2.0', ...sent }));
  const carrier = { noise: () => undefined, notify, credential: response.req.headers.authorization };
  const ending = await protocol.handle(message, carrier);
  const text = answerText(message.id, ending);
  if (ending.kind === 'status') return response.writeHead(ending.status, { ...headers, ...ending.headers }).end('text of the provider');
  if (ending.kind === 'cut') return (open(), response.flushHeaders(), setTimeout(() => response.socket?.resetAndDestroy(), 20));
  if (ending.kind === 'end') return (open(), response.end());
  if (ending.kind === 'silence') return asJson || (open(), response.flushHeaders());
  if (ending.kind === 'later')
    return (ending.forget || later.set(`${message.id}-1`, text), send('', `id: ${message.id}-1\nretry: 20\n`), response.end());
  if (asJson) return response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(text);
  send(text);
  response.end();
}

/** The rest of an event stream. */
function resume(request, response, later) {
  const text = later.get(request.headers['last-event-id']);
  if (text === undefined) return response.writeHead(405).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${text}\n\n`);
}
