export { ToolExecutorModule, takeRequests } from './tool-executor.module.ts';
