import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

export const root = join(import.meta.dirname, '../..');
export const deploy = join(root, 'deploy');

/** One service of the compose file, as far as tests look at it. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const readCompose = async (): Promise<ComposeFile> =>
  parse(await readFile(join(deploy, 'compose.yaml'), 'utf8'), { merge: true, uniqueKeys: true }) as ComposeFile;

/** The source of a script that the build compiles: `apps/x/dist/main.js` -> `apps/x/src/main.ts`. */
export const sourceOf = (script: string): string => join(root, script.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
