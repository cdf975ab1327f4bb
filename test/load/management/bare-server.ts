// The least that can answer the same: `node:http`, `pg`, the statements of the API, and the same bytes. No identity, no
// workspaces, no checks, no log.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.Agentstration__Database__Url, max: 10 });
const columns = `r.tenant_id, r.workspace_id, r.kind, r.namespace, r.name, r.uid, r.generation, r.revision, r.labels, r.annotations,
  r.definition, r.status, r.provider_name, r.external_name, r.available, r.created_at, r.updated_at`;
const key = 'r.tenant_id = $1 AND r.workspace_id = $2 AND r.kind = $3 AND r.namespace = $4 AND r.name = $5 AND r.deleted_at IS NULL';
const statements = {
  get: `SELECT ${columns} FROM agentstration.resources r WHERE ${key}`,
  list: `SELECT ${columns} FROM agentstration.resources r WHERE r.tenant_id = $1 AND r.workspace_id = $2 AND r.kind = $3
    AND r.deleted_at IS NULL AND r.namespace = $4 ORDER BY r.namespace, r.name LIMIT $5`,
  put: `UPDATE agentstration.resources r SET labels = $6, annotations = $7, definition = $8, changed_by = $9 WHERE ${key} RETURNING ${columns}`,
};

interface Row {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly revision: number;
  readonly labels: object;
  readonly annotations: object;
  readonly definition: object;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const render = (row: Row) => ({
  apiVersion: 'agentstration.io/v1',
  kind: row.kind,
  metadata: {
    ...{ name: row.name, namespace: row.namespace, labels: row.labels, annotations: row.annotations, uid: row.uid },
    ...{ generation: row.generation, createdAt: row.created_at, updatedAt: row.updated_at },
  },
  definition: row.definition,
  status: {
    conditions: [
      { type: 'Valid', lastTransitionTime: row.updated_at, status: 'True', reason: 'Valid', message: 'The definition is valid.' },
    ],
  },
});

const scope = ['bench', 'busy', 'ToolExecutionHook', 'default'];

async function query(name: keyof typeof statements, values: readonly unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text: statements[name], values: [...scope, ...values] })).rows;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bare');
  const limit = Number(searchParams.get('limit'));
  if (limit > 0) {
    const rows = await query('list', [limit + 1]);
    const next = Buffer.from(JSON.stringify({ namespace: 'default', name: rows[limit - 1]?.name, digest: '0123456789ab' })).toString(
      'base64url',
    );
    return void response.end(JSON.stringify({ items: rows.slice(0, limit).map(render), continue: next }));
  }
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const [row] = request.method === 'PUT' ? await put(name, request) : await query('get', [name]);
  if (row) response.setHeader('ETag', `"${row.uid}.${row.revision}"`);
  response.end(row && JSON.stringify(render(row)));
}

async function put(name: string, request: IncomingMessage): Promise<Row[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { metadata, definition } = JSON.parse(Buffer.concat(chunks).toString()) as { metadata: { labels: object }; definition: object };
  return query('put', [name, JSON.stringify(metadata.labels), '{}', JSON.stringify(definition), 'developer']);
}

createServer((request, response) => {
  if (request.url === '/livez') return response.end();
  return void answer(request, response);
}).listen(Number(process.env.Agentstration__Http__Port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
