import type { RefreshPorts } from '../refresh-tool-provider/refresh-tool-provider.ts';
import type { SecurityLog } from './security-log.ts';

type Apply = RefreshPorts['applyDiscovery'];

/** A refresh changes the catalogue: each leaves a record, however it ends. */
export const loggedDiscovery =
  (apply: Apply, log: SecurityLog): Apply =>
  async (discovery) => {
    const { scope, provider, by } = discovery;
    const record = (outcome: string): void =>
      log.record({
        ...{ action: 'provider.refresh', principalId: by, ...scope, target: `ToolProvider ${provider.namespace}/${provider.name}` },
        ...{ generationBefore: null, generationAfter: null, outcome },
      });
    try {
      const outcome = await apply(discovery);
      record(outcome.kind);
      return outcome;
    } catch (error) {
      record('failed');
      throw error;
    }
  };
