import { deny } from './deny/deny.ts';
import type { HookHandler } from './hook-handler.ts';

/** The built-in handlers by name. A further handler is a further folder and a further line here. */
export const handlers: ReadonlyMap<string, HookHandler> = new Map([deny].map((handler) => [handler.name, handler]));
