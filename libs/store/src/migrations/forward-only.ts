/** Tables expand, then contract: a step back is a further migration. */
export const forwardOnly = (): Promise<never> =>
  Promise.reject(new Error('Migrations go forward only: restore a backup, or add one that goes back'));
