import { type RunKey, type Scope, toCanonicalId } from '@agentstration/contracts';
import type { AttemptContext, AttemptQuery, AttemptStore, CatalogueEntry, HookRow, RunState } from '@agentstration/governance';

const scopeKey = ({ tenantId, workspaceId }: Scope): string => JSON.stringify([tenantId, workspaceId]);
const runKey = (run: RunKey): string => JSON.stringify([run.tenantId, run.workspaceId, run.ownerKind, run.runId]);
const unregistered: RunState = { registered: false, cancelled: false, persistToolArguments: null };

/** The twin of `PostgresAttemptStore` for tests. It hands out every hook of the Workspace: the resolver picks. */
export class InMemoryAttemptStore implements AttemptStore {
  /** When set, every resolution rejects with it: a store that cannot be read. */
  failure: Error | undefined;
  readonly #entries = new Map<string, CatalogueEntry>();
  readonly #hooks = new Map<string, Map<string, HookRow>>();
  readonly #runs = new Map<string, RunState>();

  putTool(entry: CatalogueEntry): this {
    this.#entries.set(`${scopeKey(entry.provider.scope)} ${entry.toolId}`, entry);
    return this;
  }

  /** Puts a hook as `scope` finds it; its own row may claim another scope. */
  putHook(row: HookRow, scope: Scope = row): this {
    const rows = this.#hooks.get(scopeKey(scope)) ?? new Map<string, HookRow>();
    this.#hooks.set(scopeKey(scope), rows.set(toCanonicalId(row.namespace, row.name), row));
    return this;
  }

  removeHook(scope: Scope, resource: { readonly namespace: string; readonly name: string }): this {
    this.#hooks.get(scopeKey(scope))?.delete(toCanonicalId(resource.namespace, resource.name));
    return this;
  }

  putRun(key: RunKey, state: Partial<RunState>): this {
    this.#runs.set(runKey(key), { ...unregistered, registered: true, ...state });
    return this;
  }

  resolve(query: AttemptQuery): Promise<AttemptContext> {
    if (this.failure) return Promise.reject(this.failure);
    return Promise.resolve({
      entry: this.#entries.get(`${scopeKey(query)} ${query.toolId}`),
      hooks: [...(this.#hooks.get(scopeKey(query))?.values() ?? [])],
      run: this.#runs.get(runKey(query)) ?? unregistered,
    });
  }
}
