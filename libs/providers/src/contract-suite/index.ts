export { type PermitRequest, issuePermit } from './issue-permit.ts';
export { type ProvidersUnderTest, contractResultLimit, toolProvidersContract } from './tool-providers-contract.ts';
