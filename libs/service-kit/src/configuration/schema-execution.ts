import { patterns } from '@agentstration/contracts';
import { Type } from 'typebox';
import { choice, flag, httpUrl, mapOf, section, text, texts, whole } from './schema-parts.ts';

const id = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';
const workspaces = texts(
  'Who may use it: `*` (everyone), `<tenant>/*`, `<tenant>/<workspace>`, or `<workspace>` (that id in every tenant).',
  { form: { pattern: `^(?:[*]|${id}|${id}/(?:[*]|${id}))$`, title: '*, <tenant>/*, <tenant>/<workspace> or <workspace>' } },
);
const variableName = '^_?[A-Za-z][A-Za-z0-9_]*$';

export const toolExecution = section(
  {
    PersistArguments: flag('Retain tool call arguments in the governance facts, unless a Run says otherwise.', false),
    MaximumArgumentsLength: whole('Retained arguments are cut to this many UTF-16 units.', {
      default: 16_384,
      minimum: 64,
      maximum: 1_048_576,
    }),
    MaximumConcurrency: whole('Tool calls that one executor runs at a time.', { default: 64, minimum: 1, maximum: 4096 }),
    MaximumConcurrencyPerWorkspace: whole('The share of them that one Workspace may take.', { default: 16, minimum: 1, maximum: 4096 }),
    HookTimeoutMs: whole('Time limit of one hook, and of one after-invoke notification.', { default: 2000, minimum: 1, maximum: 600_000 }),
    PublishTimeoutMs: whole('Time limit of one Journal publish, and the life of a permit to call.', {
      default: 3000,
      minimum: 50,
      maximum: 60_000,
    }),
    AckWaitMs: whole('After this silence of an executor its request is delivered again. Heartbeats come at a third of it.', {
      default: 10_000,
      minimum: 300,
      maximum: 600_000,
    }),
    GracePeriodMs: whole('On shutdown, running attempts may take this long to end; also how long an outcome is offered to the Journal.', {
      default: 30_000,
      minimum: 0,
      maximum: 3_600_000,
    }),
    RedeliveryDelaysMs: Type.Array(Type.Integer({ minimum: 1, maximum: 3_600_000 }), {
      description:
        'Waits before an attempt that failed for want of infrastructure is made again; one attempt more than waits, then it is final.',
      default: [1000, 5000, 30_000, 120_000],
      minItems: 1,
      maxItems: 16,
    }),
    LocalHookModules: texts('Modules (paths or package names) that register local hooks in the executor.', { default: [] }),
  },
  'How tool calls are executed.',
);

const stdioProfile = section({
  Command: text('The program to start.'),
  Arguments: Type.Array(Type.String(), { description: 'Its arguments.', default: [] }),
  Environment: mapOf(variableName, Type.String(), 'Variables that the program gets beside a minimal environment.'),
  WorkingDirectory: Type.Optional(text('The folder that it starts in.')),
  Workspaces: workspaces,
});

const headerSecret = section({
  ValueFile: text('Path of the file that holds the secret; read anew on each use.'),
  Workspaces: workspaces,
  Hosts: texts('The hosts it may be sent to: `host`, `host:port` or `*.suffix`.', {
    minItems: 1,
    form: { pattern: '^(?:\\*\\.)?[A-Za-z0-9.-]+(?::\\d{1,5})?$', title: 'host, host:port or *.suffix' },
  }),
});

export const toolProviders = section(
  {
    Stdio: mapOf(patterns.resourceName, stdioProfile, 'Programs that a Tool Provider may name as its `profile`.'),
    Secrets: mapOf(patterns.resourceName, headerSecret, 'Header values that a Tool Provider may name in `headerReferences`.'),
    AllowedPrivateHosts: texts(
      'Loopback, link-local and private endpoints that providers may have: `host:port`, `*.suffix` or a CIDR block.',
      {
        default: [],
      },
    ),
  },
  'What Tool Providers may use.',
);

export const extensions = mapOf(
  patterns.resourceName,
  section({ Endpoint: text('Where the extension answers.', httpUrl), Workspaces: workspaces }),
  'AEP extensions by their id.',
);

export const logging = section(
  {
    Level: choice(
      'The least severe level that is logged; the security log of writes always is.',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'info',
    ),
  },
  'Logs.',
);
