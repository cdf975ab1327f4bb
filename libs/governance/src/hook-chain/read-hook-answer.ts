import { matches } from '@agentstration/contracts';
import type { HookAnswer } from '../ports/hook.ts';

const maximumMessageLength = 2048;

/**
 * A well-formed answer, or undefined. Nothing but the exact word `Allowed` allows: not `true`, not `allowed`, not an
 * object with anything else in it.
 */
export function readHookAnswer(answer: unknown): HookAnswer | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { decision, code, message, ...rest } = answer as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return undefined;
  if (decision === 'Allowed') return code === undefined && message === undefined ? { decision } : undefined;
  if (decision !== 'Denied' || typeof code !== 'string' || typeof message !== 'string') return undefined;
  const legal = matches('code', code) && message.trim() !== '' && message.length <= maximumMessageLength;
  return legal ? { decision, code, message } : undefined;
}
