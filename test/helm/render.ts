import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { type HelmRun, helm } from '../support/helm.ts';

export const chart = join(import.meta.dirname, '../../helm/agentstration-tool-governance');

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly spec?: Record<string, unknown>;
  readonly data?: Record<string, string>;
}

/** The least that an operator must say. */
export const leastValues = {
  configuration: {
    Authentication: { Issuer: 'https://login.example', Audience: 'agentstration', JwksUrl: 'https://login.example/jwks' },
  },
};

/** Runs `helm <command> <chart>` with values from a file. */
export async function withValues(command: readonly string[], values: object): Promise<HelmRun> {
  const directory = await mkdtemp(join(tmpdir(), 'agentstration-helm-'));
  try {
    const file = join(directory, 'values.yaml');
    // Helm reads YAML 1.1, where a bare `off` is false.
    await writeFile(file, stringify(values, { version: '1.1' }));
    return await helm(...command, chart, '--values', file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Renders the chart as release `demo` in namespace `agents`. */
export async function render(values: object = leastValues): Promise<Manifest[]> {
  const { exitCode, stdout, stderr } = await withValues(['template', '--namespace', 'agents', 'demo'], values);
  if (exitCode !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join('\n'));
    const manifest = document.toJS() as Manifest | null;
    return manifest ? [manifest] : [];
  });
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Record<string, unknown>;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}

interface Item {
  readonly key: string;
  readonly path: string;
}

export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string; readonly items?: readonly Item[] };
  readonly projected?: { readonly sources: readonly { readonly secret: { readonly name: string; readonly items: readonly Item[] } }[] };
  readonly emptyDir?: object;
}

export interface PodSpec {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
}

/** The pods of every Deployment and Job, by component. */
export function podsOf(manifests: readonly Manifest[]): Map<string, PodSpec> {
  const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  return new Map(workloads.map((manifest) => [componentOf(manifest), (manifest.spec?.template as { spec: PodSpec }).spec]));
}

export const componentOf = ({ metadata }: Manifest): string => metadata.labels?.['app.kubernetes.io/component'] ?? '';
