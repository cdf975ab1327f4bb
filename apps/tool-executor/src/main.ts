import { createService, loadConfiguration, runService } from '@agentstration/service-kit';
import { ToolExecutorModule, takeRequests } from './tool-executor.module.ts';

runService(async () => {
  const configuration = loadConfiguration();
  const service = await createService(ToolExecutorModule.register(configuration), { name: 'tool-executor', configuration });
  await takeRequests(service);
  await service.listen(configuration.Http.Port, configuration.Http.Host);
  return service;
});
