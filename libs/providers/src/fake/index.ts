export { FakeToolProviders, type FakeInvocation, type ScriptedTool } from './fake-tool-providers.ts';
