import type { DynamicModule } from '@nestjs/common';
import { GovernanceProjectorModule } from '@agentstration/governance-projector';
import { ManagementApiModule } from '@agentstration/management-api';
import type { Configuration } from '@agentstration/service-kit';
import { ToolExecutorModule } from '@agentstration/tool-executor';

/** The three services side by side in one application, under one origin. */
export class StandaloneModule {
  static register(configuration: Configuration): DynamicModule {
    const services = [ManagementApiModule, ToolExecutorModule, GovernanceProjectorModule];
    return { module: StandaloneModule, imports: services.map((service) => service.register(configuration)) };
  }
}
