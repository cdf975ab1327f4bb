import 'reflect-metadata';
import { createService, loadConfiguration, runService } from '@agentstration/service-kit';
import { ManagementApiModule } from './management-api.module.ts';

runService(async () => {
  const configuration = loadConfiguration();
  const service = await createService(ManagementApiModule.register(configuration), { name: 'management-api', configuration });
  await service.listen(configuration.Http.Port, configuration.Http.Host);
  return service;
});
