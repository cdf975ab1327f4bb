// An MCP server that misbehaves on request, for specs and for the fault rig. No dependencies.
//
//   node server.mjs [--transport stdio|http] [flags]
//
// Each tool of `tools.mjs` is one way to behave; the caller chooses by calling it.
//
//   --oracle FILE      append every executed call as one fsynced JSON line (or the environment variable MCP_ORACLE)
//                      (what it was called with: the Authorization header, over stdio the environment variable MCP_CREDENTIAL)
//   --pid-file FILE    append the process id
//   --port N --host H  http: where to listen (default: a free port of 127.0.0.1); prints `listening <url>`
//   --answers json     http: answer as JSON (default: event streams)
//   --sessions off     http: no session ids
//   --authorization V  http: 401 unless the Authorization header is V
//   --protocol R       answer initialize with this protocol revision (default: the client's)
//   --hang-initialize  never answer initialize
//   --die-at-start     exit at once
//   --start-delay MS   be slow to start
//   --noise            stdio: greet on the standard output
//   --ignore-eof       stdio: stay when the standard input ends, and ignore SIGTERM
//   --tool-list FILE   offer the tools of this JSON file (a list of MCP tools), read again for every list
//   --pages N          split the tool list into N pages
//   --looping-cursor, --endless-pages, --duplicate-names, --bad-tool   tool lists that are wrong in that way
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serveHttp } from './http.mjs';
import { openOracle } from './oracle.mjs';
import { serveStdio } from './stdio.mjs';

const text = Object.fromEntries(
  [
    'transport',
    'oracle',
    'pid-file',
    'port',
    'host',
    'answers',
    'sessions',
    'authorization',
    'protocol',
    'start-delay',
    'pages',
    'tool-list',
  ].map((name) => [name, { type: 'string' }]),
);
const yes = Object.fromEntries(
  ['hang-initialize', 'die-at-start', 'noise', 'ignore-eof', 'looping-cursor', 'endless-pages', 'duplicate-names', 'bad-tool'].map(
    (name) => [name, { type: 'boolean' }],
  ),
);
const { values: flags } = parseArgs({ options: { ...text, ...yes } });

if (flags['pid-file']) appendFileSync(flags['pid-file'], `${process.pid}\n`);
if (flags['die-at-start']) process.exit(3);
if (flags['start-delay']) await delay(Number(flags['start-delay']));
const record = openOracle(flags.oracle ?? process.env.MCP_ORACLE);
if (flags.transport === 'http') serveHttp(flags, record);
else serveStdio(flags, record);
