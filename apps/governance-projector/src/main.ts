import 'reflect-metadata';
import { createService, loadConfiguration, runService } from '@agentstration/service-kit';
import { GovernanceProjectorModule } from './governance-projector.module.ts';

runService(async () => {
  const configuration = loadConfiguration();
  const service = await createService(GovernanceProjectorModule.register(configuration), { name: 'governance-projector', configuration });
  await service.listen(configuration.Http.Port, configuration.Http.Host);
  return service;
});
