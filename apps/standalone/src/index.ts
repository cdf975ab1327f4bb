export { Closing, type Close } from './closing.ts';
export { defaultProfiles } from './default-profiles.ts';
export { startStandalone, type Standalone } from './start-standalone.ts';
