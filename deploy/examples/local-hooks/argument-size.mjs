// A guard that runs in the executor's process: name this file in Agentstration:ToolExecution:LocalHookModules.
// Only an explicit allow lets a call go on; a guard that throws, hangs or answers anything else fails the attempt.
// It may be asked again about the same attempt, so it must not count or change anything.

/** Denies calls whose arguments are larger than a provider should get. */
const argumentSize = {
  id: 'argument-size',
  order: -100,
  evaluate({ arguments: given }) {
    return JSON.stringify(given).length <= 65_536
      ? { decision: 'Allowed' }
      : { decision: 'Denied', code: 'arguments_too_large', message: 'Send at most 64 KiB of arguments.' };
  },
};

export default [argumentSize];
