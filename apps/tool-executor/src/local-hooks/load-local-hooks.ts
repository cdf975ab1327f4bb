import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { matches } from '@agentstration/contracts';
import type { Hook } from '@agentstration/governance';

/** What a local hook module's default export lists. `order` defaults to 0. */
export interface LocalHook extends Pick<Hook, 'evaluate' | 'afterInvoke'> {
  readonly id: string;
  readonly order?: number;
}

const reservedIds = ['hook-resolver', 'tool-catalog'];
const managedPrefix = 'managed:';

/**
 * Loads the modules that `ToolExecution:LocalHookModules` names: paths (relative to the working directory) or package
 * names. Each exports by default a list of hooks, or a function that makes one.
 *
 * @throws Error naming the module and what is wrong with it; the executor does not start without its guards
 */
export async function loadLocalHooks(modules: readonly string[]): Promise<readonly Hook[]> {
  const loaded = await Promise.all(modules.map(loadModule));
  const hooks = loaded.flat();
  const repeated = hooks.find((hook, index) => hooks.findIndex((other) => other.identity.id === hook.identity.id) !== index);
  if (repeated) throw new Error(`Two local hooks have the id ${repeated.identity.id}; each id must be unique.`);
  return hooks;
}

async function loadModule(module: string): Promise<readonly Hook[]> {
  const exported = await importModule(module);
  const made = typeof exported === 'function' ? await make(module, exported as () => unknown) : exported;
  if (!Array.isArray(made)) throw problem(module, 'must export by default a list of hooks, or a function that makes one');
  return made.map((hook: unknown, index) => toHook(module, hook, index));
}

async function make(module: string, factory: () => unknown): Promise<unknown> {
  try {
    return await factory();
  } catch (cause) {
    throw problem(module, `could not make its hooks (${cause instanceof Error ? cause.message : 'unknown'})`, cause);
  }
}

async function importModule(module: string): Promise<unknown> {
  const isPath = module.startsWith('.') || isAbsolute(module);
  try {
    const imported = (await import(isPath ? pathToFileURL(resolve(module)).href : module)) as { default?: unknown };
    return imported.default;
  } catch (cause) {
    throw problem(module, `cannot be loaded (${cause instanceof Error ? cause.message : 'unknown'})`, cause);
  }
}

function toHook(module: string, candidate: unknown, index: number): Hook {
  const { id, order = 0, evaluate, afterInvoke } = (candidate ?? {}) as Partial<LocalHook>;
  const at = `hook ${index}`;
  if (typeof id !== 'string' || !matches('id', id))
    throw problem(module, `${at} needs an id of 1 to 128 printable ASCII characters without space`);
  if (reservedIds.includes(id) || id.startsWith(managedPrefix)) throw problem(module, `${at} has the reserved id ${id}`);
  if (!Number.isSafeInteger(order)) throw problem(module, `${at} (${id}) needs an integer order`);
  if (typeof evaluate !== 'function') throw problem(module, `${at} (${id}) needs a function evaluate`);
  if (afterInvoke !== undefined && typeof afterInvoke !== 'function')
    throw problem(module, `${at} (${id}) has an afterInvoke that is not a function`);
  const hook = candidate as LocalHook;
  return {
    identity: { id, order, source: 'Local' },
    evaluate: (invocation, signal) => hook.evaluate(invocation, signal),
    ...(afterInvoke ? { afterInvoke: (invocation, outcome, signal) => hook.afterInvoke?.(invocation, outcome, signal) } : {}),
  };
}

class LocalHookFault extends Error {
  readonly explainsItself = true;
}

const problem = (module: string, what: string, cause?: unknown): Error =>
  new LocalHookFault(`The local hook module ${module} (Agentstration:ToolExecution:LocalHookModules) ${what}.`, { cause });
