import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { developmentToken, loadConfiguration } from '@agentstration/service-kit';
import { provision } from '@agentstration/tool-executor';
import { Closing } from '../closing.ts';
import { defaultProfiles } from '../default-profiles.ts';
import { DemoApi } from './demo-api.ts';
import { type TraceRecord, printTable, printTrace } from './print-trace.ts';
import { DemoRequester, type DemoResult } from './requester.ts';
import { startService } from './start-services.ts';

const runId = 'demo-run';
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const call = (toolCallId: string, toolId: string, argument: object) => ({
  toolCallId,
  run: { ownerKind: 'RuntimeRun', runId },
  toolId,
  agentId: 'demo-agent',
  arguments: argument,
});
const longRunning = 'everything.trigger-long-running-operation';

/** Everything real: NATS server, PostgreSQL, three services in processes of their own, a public MCP server. */
async function demo(closing: Closing): Promise<void> {
  say('Starting a NATS server, PostgreSQL and the three services …');
  const { environment, natsUrl, dataDirectory } = await startServers(closing);
  const start = async (app: Parameters<typeof startService>[0]) => {
    const service = await startService(app, environment);
    closing.add(async () => void (await service.process.stop()));
    return service;
  };
  const [management, projector, executor] = await Promise.all([
    start('management-api'),
    start('governance-projector'),
    start('tool-executor'),
  ]);
  const token = await developmentToken({ dataDirectory, tenant: 'local', workspaces: ['demo'], role: 'admin' });
  const api = new DemoApi({ management: management.origin, projector: projector.origin }, token);
  await prepareWorkspace(api);
  const requester = await DemoRequester.connect(natsUrl);
  closing.add(() => requester.close());

  say('\nThree tool calls, published on NATS subjects:');
  tell('call_allowed', await requester.request(call('call_allowed', 'everything.echo', { message: 'hello' })));
  tell('call_denied', await requester.request(call('call_denied', 'everything.get-env', {})));
  tell('call_retried', await killedHalfway(requester, executor.process, () => start('tool-executor')));
  await showTrace(api, requester);
}

async function startServers(closing: Closing) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'agentstration-demo-'));
  closing.add(() => rm(dataDirectory, { recursive: true, force: true }));
  const nats = await startNatsServer();
  closing.add(() => nats.stop());
  const postgres = await startPostgres();
  closing.add(() => postgres.stop());
  const environment = {
    AGENTSTRATION_DATA: dataDirectory,
    Agentstration__Nats__Servers__0: nats.url,
    Agentstration__Nats__MonitoringUrls__0: nats.monitoringUrl,
    Agentstration__Database__Url: await postgres.createDatabase('agentstration'),
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__ToolExecution__AckWaitMs: '1500',
    Agentstration__ToolProviders__Stdio: JSON.stringify(defaultProfiles(dataDirectory)),
    Agentstration__Logging__Level: 'warn',
  };
  await provision(loadConfiguration({ environment: { ...process.env, ...environment } }));
  return { environment, natsUrl: nats.url, dataDirectory };
}

/** An administrator's work: a tool provider, its tools, and a hook that denies one of them. */
async function prepareWorkspace(api: DemoApi): Promise<void> {
  const manifest = (kind: string, name: string, definition: object) => ({
    json: { apiVersion: 'agentstration.io/v1', kind, metadata: { name }, definition },
  });
  const mcp = { transport: 'stdio', profile: 'everything' };
  await api.call(
    'POST',
    '/api/toolproviders',
    manifest('ToolProvider', 'everything', { displayName: 'Everything', enabled: true, providerType: 'mcp', mcp }),
  );
  const counts = (await api.call('POST', '/api/toolproviders/everything/refresh')) as { new: number };
  say(`Registered the MCP server @modelcontextprotocol/server-everything: ${counts.new} tools discovered, all disabled.`);
  for (const tool of ['everything.echo', 'everything.get-env', longRunning]) await api.change(`/api/tools/${tool}`, { enabled: true });
  const selector = { tools: ['everything.get-env'], providers: [], agents: [] };
  const configuration = { code: 'environment_is_private', message: 'The environment of the tool server is not for agents.' };
  const definition = { displayName: 'Keep the environment private', enabled: true, order: 100, handler: 'deny', selector, configuration };
  await api.call('POST', '/api/toolexecutionhooks', manifest('ToolExecutionHook', 'keep-environment-private', definition));
  say('Enabled three of them, and created a hook that denies everything.get-env.');
}

/** Kills the executor with SIGKILL when the gate was passed and the outcome is still open; another one takes over. */
async function killedHalfway(
  requester: DemoRequester,
  executor: RunningProcess,
  startAnother: () => Promise<unknown>,
): Promise<DemoResult> {
  const passedGate = requester.untilFact('ToolExecutionGovernanceEvaluated', retriedSubject);
  const result = requester.request(call('call_retried', longRunning, { duration: 2, steps: 2 }));
  await passedGate;
  await executor.kill('SIGKILL');
  say('  call_retried   its executor was killed between the gate and the outcome; starting another one …');
  await startAnother();
  return result;
}

const retriedSubject = `agentstration.journal.v1.local.demo.runtime.${runId}.call_retried`;

function tell(toolCallId: string, { outcome, attempt, failure }: DemoResult): void {
  say(`  ${toolCallId.padEnd(13)}  ${outcome} in attempt ${attempt}${failure ? `: ${failure.message} [${failure.code}]` : ''}`);
}

async function showTrace(api: DemoApi, requester: DemoRequester): Promise<void> {
  const facts = await requester.facts(retriedSubject, 6);
  const { items } = (await api.call('GET', `/api/tool-governance/runtime/${runId}?waitFor=${facts.at(-1)?.sequence}`)) as {
    items: readonly TraceRecord[];
  };
  say(`\nWhat an operator reads: GET /api/tool-governance/runtime/${runId}`);
  printTrace(items);
  say('\nThe retried call in the journal: two attempts, each with its own governance fact. Nobody is called without one.');
  printTable(
    ['sequence', 'fact', 'invocation'],
    facts.map(({ sequence, type, invocationId }) => [String(sequence), type, invocationId]),
  );
  const retried = items.filter(({ toolCallId }) => toolCallId === 'call_retried');
  if (items.length !== 4 || new Set(retried.map(({ invocationId }) => invocationId)).size !== 2) {
    throw new Error('The trace is not what it must be: four attempts, two of them of the retried call.');
  }
}

const closing = new Closing();
try {
  await demo(closing);
  say('\nDone. `npm start` keeps all of this running for you.');
} catch (error) {
  process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await closing.close();
}
