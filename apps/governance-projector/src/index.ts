export { GovernanceProjectorModule } from './governance-projector.module.ts';
