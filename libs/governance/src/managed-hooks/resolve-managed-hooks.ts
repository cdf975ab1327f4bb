import { type Scope, type ToolExecutionHookDefinition, matches } from '@agentstration/contracts';
import { validateHookDefinition } from '../definitions/validate-hook-definition.ts';
import { handlers } from '../handlers/handlers.ts';
import type { HookRow } from '../ports/attempt-store.ts';
import type { Hook } from '../ports/hook.ts';
import { type SelectorTarget, matchSelector } from './match-selector.ts';

export type ManagedHooks =
  | { readonly ok: true; readonly hooks: readonly Hook[] }
  | { readonly ok: false; readonly reason: 'foreign_row' | 'invalid_row'; readonly resourceId: string };

/** `managed:<namespace>/<name>`: no local hook may use the prefix. */
export const managedHookId = (row: Pick<HookRow, 'namespace' | 'name'>): string => `managed:${row.namespace}/${row.name}`;

/**
 * Turns rows of the store into the guards of one attempt. Each row is checked for scope, then validity, then selectors;
 * one foreign or invalid row fails the whole resolution, because nobody can tell which calls it was meant to govern.
 */
export function resolveManagedHooks(rows: readonly HookRow[], scope: Scope, target: SelectorTarget): ManagedHooks {
  const hooks: Hook[] = [];
  for (const row of rows) {
    const resourceId = `${row.namespace}/${row.name}`;
    if (row.tenantId !== scope.tenantId || row.workspaceId !== scope.workspaceId) return { ok: false, reason: 'foreign_row', resourceId };
    const definition = readDefinition(row);
    if (!definition) return { ok: false, reason: 'invalid_row', resourceId };
    if (definition.enabled && matchSelector(definition.selector, target).matches) hooks.push(toHook(row, definition));
  }
  return { ok: true, hooks };
}

function readDefinition(row: HookRow): ToolExecutionHookDefinition | undefined {
  const named = matches('namespace', row.namespace) && matches('resourceName', row.name);
  if (!named || !Number.isSafeInteger(row.generation) || row.generation < 1) return undefined;
  const validated = validateHookDefinition(row.definition);
  return validated.ok ? validated.definition : undefined;
}

function toHook(row: HookRow, definition: ToolExecutionHookDefinition): Hook {
  const handler = handlers.get(definition.handler);
  return {
    identity: {
      id: managedHookId(row),
      order: definition.order,
      source: 'Managed',
      resourceId: `${row.namespace}/${row.name}`,
      resourceGeneration: row.generation,
    },
    evaluate(invocation) {
      if (!handler) throw new Error('No such handler.');
      return handler.evaluate(definition.configuration, invocation);
    },
  };
}
