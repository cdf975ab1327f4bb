export { provision } from './provision/provision.ts';
export { ToolExecutorModule, takeRequests } from './tool-executor.module.ts';
