import type { HookSelector } from '@agentstration/contracts';

/** What an attempt is about, for selectors. Whole ids: never joined strings, so `acme_` + `status` is not `acme` + `_status`. */
export interface SelectorTarget {
  readonly toolId: string;
  readonly providerId: string;
  readonly agentId: string;
}

export type SelectorMatch = { readonly matches: true } | { readonly matches: false; readonly failed: 'tools' | 'providers' | 'agents' };

/** An empty list is a wildcard; populated lists combine with AND. Exact and case-sensitive. */
export function matchSelector(selector: HookSelector, target: SelectorTarget): SelectorMatch {
  const admits = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);
  if (!admits(selector.tools, target.toolId)) return { matches: false, failed: 'tools' };
  if (!admits(selector.providers, target.providerId)) return { matches: false, failed: 'providers' };
  if (!admits(selector.agents, target.agentId)) return { matches: false, failed: 'agents' };
  return { matches: true };
}
