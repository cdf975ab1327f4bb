import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { helm } from '../support/helm.ts';
import { type Manifest, chart, componentOf, leastValues, podsOf, render, withValues } from './render.ts';

const services = ['governance-projector', 'management-api', 'tool-executor'];
const workloads = [...services, 'provision'].sort();

const everything = {
  ...leastValues,
  fullnameOverride: 'governance',
  image: { repository: 'registry.example/governance', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  configuration: {
    ...leastValues.configuration,
    Nats: { Servers: ['tls://nats-0.nats:4222', 'tls://nats-1.nats:4222'], MonitoringUrls: ['http://nats-0.nats:8222'] },
    Journal: { RequiredDurability: 'power', Replicas: 3, MaximumBytes: 1_099_511_627_776 },
    ToolExecution: { GracePeriodMs: 90_500, PersistArguments: true },
    Http: { Port: 8080, ShutdownTimeoutMs: 20_000 },
    ToolProviders: {
      Secrets: {
        'github-token': { ValueFile: '/etc/agentstration/tool-providers/github', Workspaces: ['acme/*'], Hosts: ['api.example'] },
      },
      AllowedPrivateHosts: ['10.1.2.3/32'],
    },
    Extensions: { 'sample.hello': { Endpoint: 'http://hello.extensions', Workspaces: ['*'] } },
  },
  secrets: {
    nats: { method: 'credentials', tls: { existingSecret: 'nats-client', certKey: 'tls.crt', keyKey: 'tls.key' } },
    toolProviders: { existingSecret: 'tool-provider-tokens' },
  },
  managementApi: { podLabels: { team: 'a' }, podAnnotations: { note: 'b' }, extraEnv: [{ name: 'OTEL_SDK_DISABLED', value: 'true' }] },
  ingress: { enabled: true, className: 'nginx', host: 'agents.example', tlsSecretName: 'agents-tls', annotations: { a: 'b' } },
  serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
};
const least = {
  ...leastValues,
  provision: { enabled: false },
  networkPolicy: { enabled: false },
  managementApi: { podDisruptionBudget: { enabled: false }, replicas: 1 },
};

const named = (manifests: readonly Manifest[], kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

describe('the chart', () => {
  it(verifies('DEPLOY-001', 'passes helm lint --strict, with no values and with all of them'), async () => {
    expect(await helm('lint', '--strict', chart)).toMatchObject({ exitCode: 0 });
    expect(await withValues(['lint', '--strict'], everything)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['the least values', leastValues],
    ['every value', everything],
    ['everything optional off', least],
  ])(verifies('DEPLOY-001', 'renders three services with %s, each name once'), async (_, values) => {
    const manifests = await render(values);
    expect(named(manifests, 'Deployment').map(componentOf).sort()).toEqual(services);
    expect(named(manifests, 'Service').map(componentOf).sort()).toEqual(services);
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => (name.split('/')[1] ?? '').length > 63)).toEqual([]);
  });

  it(verifies('DEPLOY-001', 'starts what the image holds: a script per service, and one that provisions'), async () => {
    const scripts = Object.fromEntries([...podsOf(await render())].map(([component, pod]) => [component, pod.containers[0].args]));
    expect(scripts).toEqual({
      'management-api': ['node', 'apps/management-api/dist/main.js'],
      'tool-executor': ['node', 'apps/tool-executor/dist/main.js'],
      'governance-projector': ['node', 'apps/governance-projector/dist/main.js'],
      provision: ['node', 'apps/tool-executor/dist/provision.js'],
    });
  });

  it(verifies('DEPLOY-001', 'provisions before an install or upgrade, with all that the job needs'), async () => {
    const hooks = (await render()).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
    expect(hooks.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Job', 'NetworkPolicy', 'ServiceAccount']);
    const weights = new Map(hooks.map(({ kind, metadata }) => [kind, Number(metadata.annotations?.['helm.sh/hook-weight'])]));
    for (const { kind, metadata } of hooks) {
      expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      if (kind !== 'Job') expect(weights.get(kind)).toBeLessThan(weights.get('Job') ?? NaN);
    }
  });

  it(verifies('DEPLOY-001', 'asks every service for life at /livez and readiness at /readyz, on its port'), async () => {
    for (const [values, port] of [
      [leastValues, 5100],
      [everything, 8080],
    ] as const) {
      const pods = podsOf(await render(values));
      for (const service of services) {
        const container = pods.get(service)?.containers[0];
        expect(container?.ports).toEqual([{ name: 'http', containerPort: port }]);
        expect(container?.livenessProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' } });
        expect(container?.startupProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' } });
        expect(container?.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
      }
    }
  });

  it(verifies('DEPLOY-001', 'selects the pods of each Deployment with its Service, budget and network policy'), async () => {
    const manifests = await render();
    for (const deployment of named(manifests, 'Deployment')) {
      const { selector, template } = deployment.spec as { selector: { matchLabels: object }; template: { metadata: { labels: object } } };
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const peers = manifests.filter((manifest) => componentOf(manifest) === componentOf(deployment));
      expect(named(peers, 'Service')[0]?.spec).toMatchObject({ selector: selector.matchLabels });
      expect(named(peers, 'PodDisruptionBudget')[0]?.spec).toMatchObject({ selector });
      expect(named(peers, 'NetworkPolicy')[0]?.spec).toMatchObject({ podSelector: selector, policyTypes: ['Ingress', 'Egress'] });
    }
  });

  it(verifies('DEPLOY-002', 'runs every container under the restricted profile, bounded, and without a token of the cluster'), async () => {
    const manifests = await render(everything);
    const pods = podsOf(manifests);
    expect([...pods.keys()].sort()).toEqual(workloads);
    for (const pod of pods.values()) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } });
      const { securityContext, resources } = pod.containers[0];
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
      expect(resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      const accounts = named(manifests, 'ServiceAccount').map(({ metadata }) => metadata.name);
      expect(accounts).toContain(pod.serviceAccountName);
    }
  });

  it(verifies('DEPLOY-003', 'holds no secret: no Secret object, and no value that a Secret would hold'), async () => {
    const manifests = await render(everything);
    expect(named(manifests, 'Secret')).toEqual([]);
    for (const pod of podsOf(manifests).values()) {
      const secrets = pod.containers[0].env.filter(({ name }) => /url|password|token|seed|credential|key/i.test(name));
      expect(secrets.map(({ name }) => name).filter((name) => !name.endsWith('File'))).toEqual([]);
    }
  });

  it(verifies('DEPLOY-008', 'gives each service a database and a NATS identity of its own'), async () => {
    const pods = podsOf(await render(everything));
    const sources = [...pods.values()].map(({ volumes }) =>
      volumes.find(({ name }) => name === 'secrets')?.projected?.sources.map(({ secret }) => secret.name),
    );
    expect(sources.map((names) => names?.length)).toEqual([2, 2, 2, 2]);
    expect(new Set(sources.flat()).size).toBe(8);
    expect(pods.get('provision')?.volumes).toContainEqual(
      expect.objectContaining({
        projected: expect.objectContaining({
          sources: expect.arrayContaining([
            { secret: { name: 'agentstration-database-migration', items: [{ key: 'url', path: 'database-url' }] } },
          ]),
        }),
      }),
    );
  });

  it(verifies('DEPLOY-006', 'joins /api/tool-governance and the rest of /api under one origin'), async () => {
    const [ingress] = named(await render(everything), 'Ingress');
    const backend = (name: string) => ({ service: { name: `governance-${name}`, port: { name: 'http' } } });
    expect(ingress?.spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ secretName: 'agents-tls', hosts: ['agents.example'] }],
      rules: [
        {
          host: 'agents.example',
          http: {
            paths: [
              { path: '/api/tool-governance', pathType: 'Prefix', backend: backend('governance-projector') },
              { path: '/api', pathType: 'Prefix', backend: backend('management-api') },
            ],
          },
        },
      ],
    });
  });

  it(verifies('DEPLOY-007', 'lets a pod end in its own time'), async () => {
    const seconds = async (values: object) => {
      const pods = podsOf(await render(values));
      return services.map((service) => pods.get(service)?.terminationGracePeriodSeconds);
    };
    // Shutdown of HTTP (10 s) and 10 s to spare; 5 s before it for those behind a Service; the executor drains for 30 s.
    expect(await seconds(leastValues)).toEqual([25, 25, 50]);
    expect(await seconds(everything)).toEqual([35, 35, 121]);
    expect(await seconds({ ...leastValues, toolExecutor: { terminationGracePeriodSeconds: 300 } })).toEqual([25, 25, 300]);
  });

  it(verifies('DEPLOY-002', 'keeps the executor from link-local and private addresses that nobody named'), async () => {
    const rule = { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ port: 8080 }] };
    const policies = named(await render({ ...leastValues, networkPolicy: { toolProviders: [rule] } }), 'NetworkPolicy');
    const executor = policies.find((policy) => componentOf(policy) === 'tool-executor')?.spec as { egress: object[] };
    expect(executor.egress).toContainEqual(rule);
    const blocks = JSON.stringify(executor.egress);
    expect(
      ['169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10'].filter(
        (block) => !blocks.includes(block),
      ),
    ).toEqual([]);
    const others = policies.filter((policy) => componentOf(policy) !== 'tool-executor');
    expect(JSON.stringify(others)).not.toContain('0.0.0.0/0');
  });

  it(verifies('DEPLOY-001', 'is scraped by Prometheus where that is asked for'), async () => {
    const [monitor] = named(await render(everything), 'ServiceMonitor');
    expect(monitor?.metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(monitor?.spec).toMatchObject({ endpoints: [{ port: 'http', path: '/metrics', interval: '15s' }] });
    expect(named(await render(), 'ServiceMonitor')).toEqual([]);
  });
});

describe('bad values', () => {
  it.each<[string, object, string]>([
    ['an unknown value', { image: { tga: 'x' } }, "at '/image': additional properties 'tga' not allowed"],
    ['a value of the wrong type', { toolExecutor: { replicas: 'two' } }, "at '/toolExecutor/replicas': got string, want integer"],
    ['no replica', { managementApi: { replicas: 0 } }, "at '/managementApi/replicas'"],
    [
      'an unknown configuration key',
      { configuration: { ToolExecution: { HookTimeout: 1 } } },
      "additional properties 'HookTimeout' not allowed",
    ],
    [
      'a value out of range',
      { configuration: { ToolExecution: { MaximumArgumentsLength: 1 } } },
      "at '/configuration/ToolExecution/MaximumArgumentsLength'",
    ],
    ['Development mode', { configuration: { Authentication: { Mode: 'Development' } } }, "at '/configuration/Authentication/Mode'"],
    ['a password in values', { configuration: { Nats: { Password: 'x' } } }, "additional properties 'Password' not allowed"],
    ['a database URL in values', { configuration: { Database: { Url: 'postgres://x' } } }, "additional properties 'Database' not allowed"],
    [
      'a database URL as Secret',
      { secrets: { database: { managementApi: { url: 'postgres://x' } } } },
      "additional properties 'url' not allowed",
    ],
    [
      'a Secret without a name',
      { secrets: { database: { provision: { existingSecret: '' } } } },
      "at '/secrets/database/provision/existingSecret'",
    ],
    [
      'configuration past the schema',
      { toolExecutor: { extraEnv: [{ name: 'Agentstration__Database__Url', value: 'x' }] } },
      "at '/toolExecutor/extraEnv/0/name'",
    ],
    ['an open door', { networkPolicy: { httpFrom: [] } }, "at '/networkPolicy/httpFrom'"],
    ['a tag that is none', { image: { tag: 'a b' } }, "at '/image/tag'"],
    [
      'half a client certificate',
      { secrets: { nats: { tls: { existingSecret: 'x', certKey: 'tls.crt' } } } },
      'go together: set both or neither',
    ],
    ['a grace period that cuts attempts', { toolExecutor: { terminationGracePeriodSeconds: 30 } }, 'it must be at least 50'],
  ])(verifies('DEPLOY-004', 'are refused by name: %s'), async (_, change, message) => {
    const { exitCode, stderr } = await withValues(['template', 'demo'], merge(leastValues, change));
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(message) });
  });

  it(verifies('DEPLOY-004', 'are asked for when nobody else can know them'), async () => {
    const { exitCode, stderr } = await withValues(['template', 'demo'], {});
    expect(exitCode).toBe(1);
    for (const key of ['Issuer', 'Audience', 'JwksUrl']) expect(stderr).toContain(`configuration.Authentication.${key}`);
  });
});

/** Lays one tree over another. */
function merge(base: object, change: object): object {
  const entries = Object.entries(change).map(([key, value]: [string, unknown]) => {
    const below: unknown = (base as Record<string, unknown>)[key];
    return [key, isTree(below) && isTree(value) ? merge(below, value) : value];
  });
  return { ...base, ...(Object.fromEntries(entries) as object) };
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
