export type { Delivery, DeliveryEnd } from './execute-tool-call/delivery.ts';
export { executeToolCall } from './execute-tool-call/execute-tool-call.ts';
export type { ExecutorMeter, ExecutorParts } from './execute-tool-call/executor-parts.ts';
export { withinTimeLimit } from './local-hooks/within-time-limit.ts';
