import { toOwnerKindToken, type RunKey } from '@agentstration/contracts';
import type { RunStore } from '@agentstration/store';
import type { SecurityLog, SecurityRecord } from './security-log.ts';

/** A {@link RunStore} whose writes each leave a record, however they end. */
export function loggedRunStore(store: RunStore, log: SecurityLog): RunStore {
  const logged = async <Outcome extends { readonly kind: string }>(
    write: { readonly action: SecurityRecord['action']; readonly key: RunKey; readonly by: string },
    run: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const record = (outcome: string): void => log.record({ ...describe(write.key), action: write.action, principalId: write.by, outcome });
    try {
      const outcome = await run();
      record(outcome.kind);
      return outcome;
    } catch (error) {
      record('failed');
      throw error;
    }
  };
  return {
    get: (key) => store.get(key),
    list: (scope, page) => store.list(scope, page),
    create: (run, messages) => logged({ action: 'run.create', key: run, by: run.principalId }, () => store.create(run, messages)),
    cancel: (key, by, messages) => logged({ action: 'run.cancel', key, by }, () => store.cancel(key, by, messages)),
  };
}

/** Runs have no generations. */
const describe = ({ tenantId, workspaceId, ownerKind, runId }: RunKey) => ({
  tenantId,
  workspaceId,
  target: `${toOwnerKindToken(ownerKind)} run ${runId}`,
  generationBefore: null,
  generationAfter: null,
});
