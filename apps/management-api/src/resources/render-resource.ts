import { type Condition, type Resource, apiVersion } from '@agentstration/contracts';
import { validateHookDefinition } from '@agentstration/governance';
import type { StoredResource } from '@agentstration/store';

/** A resource as the API answers it: what `PUT` takes back, and what the server adds. */
export function renderResource(stored: StoredResource): Resource<object> {
  const { kind, name, namespace, labels, annotations, uid, generation, createdAt, updatedAt, definition } = stored;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations, uid, generation, createdAt, updatedAt },
    definition,
    status: { ...stored.status, conditions: conditionsOf(stored) },
  };
}

function conditionsOf(stored: StoredResource): readonly Condition[] {
  const reported = Array.isArray(stored.status.conditions) ? (stored.status.conditions as Condition[]) : [];
  return stored.kind === 'ToolExecutionHook' ? [validity(stored), ...reported] : reported;
}

/** A row that an older version or a hand wrote may be invalid: every call that it could govern fails, and here stands why. */
function validity(stored: StoredResource): Condition {
  const verdict = validateHookDefinition(stored.definition);
  const at = { type: 'Valid', lastTransitionTime: stored.updatedAt };
  if (verdict.ok) return { ...at, status: 'True', reason: 'Valid', message: 'The definition is valid.' };
  const faults = verdict.faults.slice(0, 5).map((fault) => `${fault.pointer || 'it'} ${fault.message}`);
  return { ...at, status: 'False', reason: 'InvalidDefinition', message: `Calls that it could govern fail: ${faults.join('; ')}.` };
}
