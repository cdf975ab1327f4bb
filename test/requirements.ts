import { executorRequirements } from './requirements/executor.ts';
import { houseRequirements } from './requirements/house.ts';
import { journalRequirements } from './requirements/journal.ts';
import { managementRequirements } from './requirements/management.ts';
import { projectorRequirements } from './requirements/projector.ts';
import { providerRequirements } from './requirements/providers.ts';
import { serviceKitRequirements } from './requirements/service-kit.ts';
import { standaloneRequirements } from './requirements/standalone.ts';
import { storeRequirements } from './requirements/store.ts';

/** A promise of the contract. `deferred` names why no test cites it yet. */
export interface Requirement {
  readonly text: string;
  readonly deferred?: string;
}

/**
 * Every promise that users can rely on: id -> what must be true. Tests cite the ids through `verifies`;
 * `test/contract/requirements.test.ts` fails when one has no test, and when an area below `requirements/` is missing here.
 */
export const requirements = {
  ...executorRequirements,
  ...houseRequirements,
  ...journalRequirements,
  ...managementRequirements,
  ...projectorRequirements,
  ...providerRequirements,
  ...serviceKitRequirements,
  ...standaloneRequirements,
  ...storeRequirements,
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof requirements;
