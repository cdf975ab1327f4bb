import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PartialConfiguration } from '@agentstration/service-kit';

type Profiles = NonNullable<NonNullable<PartialConfiguration['ToolProviders']>['Stdio']>;

const welcome = 'This folder is what the Tool Provider profile `filesystem` can see.\n';

/** Profiles for the public MCP servers that are installed with this repository, so that a first Tool Provider needs no configuration. */
export function defaultProfiles(dataDirectory: string): Profiles {
  const files = join(dataDirectory, 'files');
  const everything = programOf('@modelcontextprotocol/server-everything', ['stdio']);
  const filesystem = programOf('@modelcontextprotocol/server-filesystem', [files]);
  if (filesystem) provideFolder(files);
  return { ...(everything && { everything }), ...(filesystem && { filesystem }) };
}

/** The package is a development dependency: an image without it has no such profile. */
function programOf(name: string, parameters: readonly string[]) {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return { Command: process.execPath, Arguments: [join(folder, 'dist/index.js'), ...parameters], Workspaces: ['*'] };
  } catch {
    return undefined;
  }
}

function provideFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) writeFileSync(join(folder, 'welcome.txt'), welcome);
}
