import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const text = (value, more = {}) => ({ kind: 'result', result: { content: [{ type: 'text', text: value }], ...more } });
const kill = () => process.kill(process.pid, 'SIGKILL');
const seen = new Map();
const first = (key) => !seen.has(key) && seen.set(key, true);

/**
 * Every tool is a way to behave. `run({ arguments, record, progress, session })` decides when `record()` writes the call
 * into the oracle, and how the request ends:
 * `result` and `error` are answers; `raw` is text in the place of an answer; `silence` never ends; `status` is an HTTP
 * status; `cut` and `end` break off and end the answer's stream; `later` gives the result only to a client that resumes.
 */
export const tools = {
  ok: {
    description: 'Answers its arguments.',
    run: ({ arguments: given, record }) => (record(), text(JSON.stringify(given), { structuredContent: given })),
  },
  slow: {
    description: 'Answers after `ms`.',
    run: async ({ arguments: { ms = 1000 }, record }) => (record(), await delay(ms), text('slow')),
  },
  once: {
    description: 'Answers its arguments; for tests that must not see it twice.',
    run: ({ arguments: given, record }) => (record(), text(JSON.stringify(given))),
  },
  denied: { description: 'For tests that must never see it called.', run: ({ record }) => (record(), text('called')) },
  hang: { description: 'Executes and never answers.', run: ({ record }) => (record(), { kind: 'silence' }) },
  'die-before': { description: 'The process dies; nothing was executed.', run: () => (kill(), { kind: 'silence' }) },
  'die-after-execute': { description: 'Executes, then the process dies.', run: ({ record }) => (record(), kill(), { kind: 'silence' }) },
  'sse-eof': { description: 'Executes, then ends its event stream without an answer.', run: ({ record }) => (record(), { kind: 'end' }) },
  'sse-cut': { description: 'Executes, then resets the connection.', run: ({ record }) => (record(), { kind: 'cut' }) },
  'sse-resume': {
    description: 'Executes; its answer waits for a client that resumes.',
    run: ({ record }) => (record(), { ...text('resumed'), kind: 'later' }),
  },
  'sse-resume-gone': {
    description: 'Executes; promises that a client can resume, and then knows nothing of it.',
    run: ({ record }) => (record(), { kind: 'later', forget: true, result: {} }),
  },
  'session-gone': { description: 'HTTP 404, nothing executed, every time.', run: () => ({ kind: 'status', status: 404 }) },
  'session-gone-once': {
    description: 'HTTP 404 without executing the first time, then an answer.',
    run: ({ record }) => (first('session-gone-once') ? { kind: 'status', status: 404 } : (record(), text('second session'))),
  },
  redirect: {
    description: 'HTTP 307 to a place that records whoever follows.',
    run: () => ({ kind: 'status', status: 307, headers: { location: '/elsewhere' } }),
  },
  'bad-gateway': { description: 'Executes, then HTTP 502.', run: ({ record }) => (record(), { kind: 'status', status: 502 }) },
  'bad-request': { description: 'HTTP 400, nothing executed.', run: () => ({ kind: 'status', status: 400 }) },
  big: {
    description: 'Answers `bytes` bytes of text.',
    run: ({ arguments: { bytes = 10 * 1024 * 1024 }, record }) => (record(), text('x'.repeat(bytes))),
  },
  deep: {
    description: 'Answers JSON that is nested `levels` deep.',
    run: ({ arguments: { levels = 100_000 }, record, id }) => {
      record();
      return { kind: 'raw', text: `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":${'['.repeat(levels)}${']'.repeat(levels)}}}` };
    },
  },
  progress: {
    description: 'Reports progress every `everyMs` for `ms`, then answers.',
    run: async ({ arguments: { ms = 1000, everyMs = 100 }, record, progress }) => {
      record();
      for (let spent = 0; spent < ms; spent += everyMs) {
        progress(spent, ms);
        await delay(everyMs);
      }
      return text('done');
    },
  },
  'is-error': {
    description: 'The tool reports an error of its own.',
    run: ({ record }) => (record(), text('it went wrong', { isError: true })),
  },
  'protocol-error': {
    description: 'A JSON-RPC error.',
    run: () => ({ kind: 'error', code: -32_602, message: 'secret text of the provider' }),
  },
  'schema-bad': {
    description: 'Structured content that breaks its own output schema.',
    outputSchema: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
    run: ({ record }) => (record(), text('not a number', { structuredContent: { count: 'many' } })),
  },
  'not-final': {
    description: 'A result that asks for input.',
    run: ({ record }) => (record(), { kind: 'result', result: { resultType: 'input_required', content: [], inputRequests: {} } }),
  },
  'no-result': { description: 'An empty object as result.', run: ({ record }) => (record(), { kind: 'result', result: {} }) },
  'bad-answer': {
    description: 'Something that is no JSON-RPC answer, with the id of the request.',
    run: ({ record, id }) => (record(), { kind: 'raw', text: `{"jsonrpc":"2.0","id":${id},"result":null}` }),
  },
  noise: {
    description: 'Lines of noise before the answer (stdio).',
    run: ({ record, noise }) => (record(), noise('starting up ...'), noise('{"not":"a message"}'), text('despite noise')),
  },
  'mutate-tools': {
    description: 'Adds a tool to the list.',
    run: ({ record, addTool }) => (record(), addTool(), text('changed')),
  },
  environment: {
    description: 'Names of its environment variables.',
    run: ({ record }) => (record(), text(Object.keys(process.env).sort().join(','))),
  },
};
