export { GovernanceProjectorModule } from './governance-projector.module.ts';
export { rebuildOutdated } from './rebuild-read-model/rebuild-outdated.ts';
