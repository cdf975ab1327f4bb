import type { Hook } from '../ports/hook.ts';

/** At most this many hooks guard one attempt. */
export const maximumChainLength = 64;

export type OrderedHooks =
  { readonly ok: true; readonly hooks: readonly Hook[] } | { readonly ok: false; readonly reason: 'duplicate_hook_id' | 'too_many_hooks' };

/** Ascending `order`, then ordinal (UTF-16 code unit) comparison of `id`. Never by locale: two executors must agree. */
export function orderHooks(hooks: readonly Hook[]): OrderedHooks {
  if (hooks.length > maximumChainLength) return { ok: false, reason: 'too_many_hooks' };
  if (new Set(hooks.map((hook) => hook.identity.id)).size !== hooks.length) return { ok: false, reason: 'duplicate_hook_id' };
  return { ok: true, hooks: [...hooks].sort(byOrderThenId) };
}

function byOrderThenId({ identity: left }: Hook, { identity: right }: Hook): number {
  if (left.order !== right.order) return left.order - right.order;
  return left.id < right.id ? -1 : 1;
}
