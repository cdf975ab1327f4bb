// An example of a local hook module. The executor loads it when its configuration says
//   "ToolExecution": { "LocalHookModules": ["./deploy/examples/local-hooks/business-hours.mjs"] }
// and asks its hooks on every attempt, together with the workspace's own.

/** Tools that change money may be called only while somebody is at work. */
const guarded = /\.(?:refund|payout)$/;

export default [
  {
    id: 'business-hours',
    order: -100,
    evaluate({ toolId }) {
      const hour = new Date().getUTCHours();
      if (!guarded.test(toolId) || (hour >= 8 && hour < 18)) return { decision: 'Allowed' };
      return { decision: 'Denied', code: 'outside_business_hours', message: 'Payments are made between 8:00 and 18:00 UTC.' };
    },
    afterInvoke({ toolId, invocationId }, { outcome }) {
      if (guarded.test(toolId)) process.stdout.write(`${JSON.stringify({ hook: 'business-hours', toolId, invocationId, outcome })}\n`);
    },
  },
];
