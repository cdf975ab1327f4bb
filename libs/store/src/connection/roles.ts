/** Which service speaks: each has a database role of its own, with the least grants. */
export type StoreRole = 'api' | 'executor' | 'projector';

/** The database role of a service. A login user of a production database is a member of one of them. */
export const databaseRole = (role: StoreRole): string => `agentstration_${role}`;

export const storeRoles: readonly StoreRole[] = ['api', 'executor', 'projector'];
