import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { deploy } from './read-compose.ts';

/** What psql would send of `postgres/roles.sql`, whose backtick variables hold the content of secret files. */
export async function rolesStatements(readSecret: (name: string) => string): Promise<string> {
  const lines = (await readFile(join(deploy, 'postgres/roles.sql'), 'utf8')).split('\n');
  const variables = lines.flatMap((line) => {
    const [, name, file] = /^\\set (\w+) `cat \/run\/secrets\/([\w-]+)`$/.exec(line) ?? [];
    return name !== undefined && file !== undefined ? [{ name, file }] : [];
  });
  const statements = lines.filter((line) => !line.startsWith('\\')).join('\n');
  return variables.reduce((text, { name, file }) => text.replaceAll(`:'${name}'`, pg.escapeLiteral(readSecret(file))), statements);
}

/** Runs SQL on a connection of its own. */
export async function runStatements(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
