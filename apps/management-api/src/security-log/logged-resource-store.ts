import type { ResourceKey, ResourceStore } from '@agentstration/store';
import type { SecurityLog, SecurityRecord } from './security-log.ts';

interface Write {
  readonly action: SecurityRecord['action'];
  readonly key: ResourceKey;
  readonly by: string;
}
interface Outcome {
  readonly kind: string;
  readonly resource?: { readonly generation: number };
  readonly previousGeneration?: number;
}

/** A {@link ResourceStore} whose writes each leave a record, however they end. */
export function loggedResourceStore(store: ResourceStore, log: SecurityLog): ResourceStore {
  const logged = async <Result extends Outcome>(write: Write, run: () => Promise<Result>): Promise<Result> => {
    try {
      const outcome = await run();
      log.record(toRecord(write, outcome));
      return outcome;
    } catch (error) {
      log.record(toRecord(write, { kind: 'failed' }));
      throw error;
    }
  };
  return {
    get: (key) => store.get(key),
    list: (query) => store.list(query),
    listGenerations: (key, page) => store.listGenerations(key, page),
    getGeneration: (key, generation) => store.getGeneration(key, generation),
    setStatus: (key, status, uid) => store.setStatus(key, status, uid),
    create: (key, content, by) => logged({ action: 'resource.create', key, by }, () => store.create(key, content, by)),
    replace: (key, change, by) => logged({ action: 'resource.replace', key, by }, () => store.replace(key, change, by)),
    delete: (key, expected, by) => logged({ action: 'resource.delete', key, by }, () => store.delete(key, expected, by)),
  };
}

function toRecord({ action, key, by }: Write, outcome: Outcome): SecurityRecord {
  const generation = outcome.resource?.generation ?? null;
  const { tenantId, workspaceId } = key;
  return {
    ...{ action, principalId: by, tenantId, workspaceId, target: `${key.kind} ${key.namespace}/${key.name}` },
    ...generations(outcome, generation),
    outcome: outcome.kind,
  };
}

function generations(outcome: Outcome, generation: number | null): Pick<SecurityRecord, 'generationBefore' | 'generationAfter'> {
  switch (outcome.kind) {
    case 'created':
      return { generationBefore: null, generationAfter: generation };
    case 'deleted':
      return { generationBefore: generation, generationAfter: null };
    case 'replaced':
      return { generationBefore: outcome.previousGeneration ?? null, generationAfter: generation };
    default:
      return { generationBefore: generation, generationAfter: generation };
  }
}
