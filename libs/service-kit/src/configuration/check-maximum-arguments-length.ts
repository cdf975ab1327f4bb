import type { Configuration } from './configuration.ts';
import { ConfigurationError } from './configuration-error.ts';

/**
 * Refuses retained arguments that would not fit a governance fact: in the worst case a UTF-16 unit takes three bytes,
 * and the rest of a fact fits 128 KiB.
 *
 * @param maxPayload the broker's `max_payload`, in bytes.
 * @throws ConfigurationError
 */
export function checkMaximumArgumentsLength(configuration: Configuration, maxPayload: number): void {
  const needed = 3 * configuration.ToolExecution.MaximumArgumentsLength + 128 * 1024;
  if (needed <= maxPayload) return;
  const allowed = Math.floor((maxPayload - 128 * 1024) / 3);
  throw new ConfigurationError([
    {
      key: 'Agentstration:ToolExecution:MaximumArgumentsLength',
      variable: 'Agentstration__ToolExecution__MaximumArgumentsLength',
      message:
        allowed < 64
          ? `cannot be met: the broker's max_payload of ${maxPayload} bytes is too small for any governance fact; raise max_payload to ${needed}`
          : `must be at most ${allowed}, for the broker's max_payload is ${maxPayload} bytes (or raise max_payload to ${needed})`,
    },
  ]);
}
