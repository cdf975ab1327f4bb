import { join } from 'node:path';
import { type RunningProcess, eventually, freePort, startProcess } from '@agentstration/local-servers';
import pg from 'pg';
import { keyOf } from './workload.ts';

const projector = join(import.meta.dirname, '..', '..', 'apps', 'governance-projector', 'dist');

/** An attempt as the read model has it. */
export interface AttemptRow {
  readonly key: string;
  readonly invocationId: string;
  readonly attempt: number;
  readonly governed: boolean;
  readonly ended: boolean;
}

/** A projector that lives through the faults, in a process of its own, and the database that it fills. */
export class ReadModel {
  private constructor(
    private readonly environment: NodeJS.ProcessEnv,
    readonly projector: RunningProcess,
  ) {}

  static async start(environment: NodeJS.ProcessEnv): Promise<ReadModel> {
    const own = { ...environment, Agentstration__Http__Port: String(await freePort()), Agentstration__Logging__Level: 'warn' };
    return new ReadModel(own, await startProcess({ command: process.execPath, arguments: [join(projector, 'main.js')], environment: own }));
  }

  /** The rows of the tool calls whose ids start so, once everything up to this sequence of the Journal is projected. */
  async attemptsOf(prefix: string, { upTo, within }: { upTo: number; within: number }): Promise<readonly AttemptRow[]> {
    return this.#asking((client) =>
      eventually(
        async () => {
          const { generation, sequence } = await activeGeneration(client);
          if (sequence < upTo) throw new Error(`The read model has come to ${sequence} of ${upTo}.\n${this.projector.output()}`);
          const { rows } = await client.query<Omit<AttemptRow, 'key'> & { workspace: string; toolCallId: string }>(
            `SELECT tenant_id || '/' || workspace_id AS workspace, tool_call_id AS "toolCallId", invocation_id AS "invocationId",
                    a.attempt, governance IS NOT NULL AS governed, ending IS NOT NULL AS ended
               FROM read_model.attempt_${generation} a
               JOIN read_model.run_${generation} r ON r.run_key = a.run_key
               JOIN read_model.workspace_${generation} w ON w.workspace_key = r.workspace_key
              WHERE starts_with(tool_call_id, $1)`,
            [prefix],
          );
          return rows.map(({ workspace, toolCallId, ...row }) => ({ ...row, key: keyOf(workspace, toolCallId) }));
        },
        { within, every: 50 },
      ),
    );
  }

  /** I6: `projector verify` makes the read model anew from the Journal and compares all rows. Answers what it says is wrong. */
  async differences(): Promise<readonly string[]> {
    const verify = await startProcess({
      command: process.execPath,
      arguments: [join(projector, 'cli.js'), 'verify'],
      environment: this.environment,
    });
    const { code } = await verify.exited;
    return code === 0 && verify.output().includes('read model equals the journal') ? [] : [verify.output()];
  }

  /** How many connections of executors the database has that are not idle. */
  async busyConnections(): Promise<number> {
    return this.#asking(async (client) => {
      const { rows } = await client.query<{ busy: number }>(
        `SELECT count(*)::int AS busy FROM pg_stat_activity WHERE application_name = 'agentstration-executor' AND state <> 'idle'`,
      );
      return rows[0]?.busy ?? 0;
    });
  }

  async stop(): Promise<void> {
    await this.projector.stop();
  }

  async #asking<T>(ask: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.environment['Agentstration__Database__Url'] });
    await client.connect();
    try {
      return await ask(client);
    } finally {
      await client.end();
    }
  }
}

async function activeGeneration(client: pg.Client): Promise<{ readonly generation: number; readonly sequence: number }> {
  const { rows } = await client.query<{ generation: number; sequence: string }>(
    'SELECT generation, sequence FROM read_model.active JOIN read_model.generation USING (generation)',
  );
  if (!rows[0]) throw new Error('There is no read model yet.');
  return { generation: rows[0].generation, sequence: Number(rows[0].sequence) };
}
