import type { RequirementId } from '../requirements.ts';

/** A test title that cites the requirements it proves: `it(verifies('GATE-001', 'calls nothing'), …)`. */
export const verifies = (ids: RequirementId | readonly RequirementId[], title: string): string => `[${[ids].flat().join(' ')}] ${title}`;
