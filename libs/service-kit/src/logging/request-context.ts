import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<{ readonly requestId: string }>();

/** Runs `work`, and everything that it starts, under the id of a request. */
export const runInRequest = (requestId: string, work: () => void): void => requests.run({ requestId }, work);

/** What every log line says about the request that it belongs to, if any. */
export const requestBindings = (): { requestId?: string } => requests.getStore() ?? {};
