/** What Nest injects where a port is an interface. */
export const resourceStoreToken = Symbol('ResourceStore');
