// A local hook that allows after `hookMs`, an argument of the call.
import { setTimeout as delay } from 'node:timers/promises';

export default [{ id: 'wait', evaluate: async ({ arguments: { hookMs = 0 } }) => (await delay(hookMs), { decision: 'Allowed' }) }];
