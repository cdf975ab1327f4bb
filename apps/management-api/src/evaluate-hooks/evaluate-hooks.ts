import type { Decision, EvaluatedHook, Scope } from '@agentstration/contracts';
import {
  type Hook,
  type HookInvocation,
  type HookRow,
  type SelectorTarget,
  type TimeLimit,
  evaluateHookChain,
  matchSelector,
  orderHooks,
  resolveManagedHooks,
  validateHookDefinition,
} from '@agentstration/governance';

/** A hook of the chain, as it would answer. `reached` is false behind the one that ends the chain. */
export interface ChainedHook {
  readonly hook: EvaluatedHook;
  readonly decision: Decision;
  readonly code: string | null;
  readonly reached: boolean;
}

/** A hook outside the chain, and why. */
export interface LeftOutHook {
  readonly resourceId: string;
  readonly resourceGeneration: number;
  readonly reason: 'selector' | 'disabled' | 'invalid';
  /** The first list of the selector that does not hold the id. */
  readonly selector: 'tools' | 'providers' | 'agents' | null;
}

/** What the managed hooks of a Workspace would make of a call. Hooks registered in an executor's process are not known here. */
export interface HookEvaluation {
  readonly decision: Decision;
  /** Of the hook that ends the chain, or why there is none. */
  readonly code: string | null;
  readonly chain: readonly ChainedHook[];
  readonly leftOut: readonly LeftOutHook[];
}

/** Dry run: the same resolution, order and handlers as in the executor; nothing is recorded. */
export async function evaluateHooks(rows: readonly HookRow[], scope: Scope, target: SelectorTarget): Promise<HookEvaluation> {
  const hooks: Hook[] = [];
  const leftOut: LeftOutHook[] = [];
  for (const row of rows) {
    const resolved = resolveManagedHooks([row], scope, target);
    if (resolved.ok && resolved.hooks.length > 0) hooks.push(...resolved.hooks);
    else leftOut.push(explain(row, resolved.ok, target));
  }
  const ordered = orderHooks(hooks);
  if (!ordered.ok) return { ...unresolved, chain: [], leftOut };
  const chain = await askAll(ordered.hooks, toInvocation(scope, target));
  if (leftOut.some(({ reason }) => reason === 'invalid')) return { ...unresolved, chain: chain.map(unreached), leftOut };
  const end = chain.find(({ decision }) => decision !== 'Allowed');
  return { decision: end?.decision ?? 'Allowed', code: end?.code ?? null, chain, leftOut };
}

const unresolved = { decision: 'Failed', code: 'tool_execution_hook_resolution_failed' } as const;
const unreached = (hook: ChainedHook): ChainedHook => ({ ...hook, reached: false });

function explain(row: HookRow, valid: boolean, target: SelectorTarget): LeftOutHook {
  const about = { resourceId: `${row.namespace}/${row.name}`, resourceGeneration: row.generation };
  const verdict = validateHookDefinition(row.definition);
  if (!valid || !verdict.ok) return { ...about, reason: 'invalid', selector: null };
  if (!verdict.definition.enabled) return { ...about, reason: 'disabled', selector: null };
  const match = matchSelector(verdict.definition.selector, target);
  return { ...about, reason: 'selector', selector: match.matches ? null : match.failed };
}

/** Each hook alone, so that those behind a denial are explained too. */
async function askAll(hooks: readonly Hook[], invocation: HookInvocation): Promise<ChainedHook[]> {
  const chain: ChainedHook[] = [];
  for (const hook of hooks) {
    const { evaluations } = await evaluateHookChain([hook], invocation, atOnce);
    const [evaluation = { decision: 'Failed' as const, code: undefined }] = evaluations;
    const reached = chain.every(({ decision }) => decision === 'Allowed');
    chain.push({ hook: hook.identity, decision: evaluation.decision, code: evaluation.code ?? null, reached });
  }
  return chain;
}

/** Built-in handlers are pure and answer at once; there is nothing to limit. */
const atOnce: TimeLimit = async (work) => {
  try {
    return { kind: 'done', value: await work(new AbortController().signal) };
  } catch (error) {
    return { kind: 'threw', error };
  }
};

/** A call that nobody made. */
const toInvocation = (scope: Scope, target: SelectorTarget): HookInvocation => ({
  scope,
  ownerKind: 'RuntimeRun',
  runId: 'dry-run',
  toolCallId: 'dry-run',
  invocationId: 'dry-run',
  attempt: 1,
  ...target,
  toolName: target.toolId,
  externalToolId: target.toolId,
  arguments: {},
});
