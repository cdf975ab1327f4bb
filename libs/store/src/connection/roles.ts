/**
 * Who speaks: each service has a database role of its own, with the least grants. The projector has two: `projector` writes
 * the read model of every Workspace, and `reader` answers from it to one.
 */
export type StoreRole = 'api' | 'executor' | 'projector' | 'reader';

/** The database role of a service. A login user of a production database is a member of one of them. */
export const databaseRole = (role: StoreRole): string => `agentstration_${role}`;

export const storeRoles: readonly StoreRole[] = ['api', 'executor', 'projector', 'reader'];
