import type { Type } from '@nestjs/common';
import { CancelRunController } from '../cancel-run/cancel-run.controller.ts';
import { CreateRunController } from '../create-run/create-run.controller.ts';
import { createResourceController } from '../create-resource/create-resource.controller.ts';
import { deleteResourceController } from '../delete-resource/delete-resource.controller.ts';
import { EvaluateHooksController } from '../evaluate-hooks/evaluate-hooks.controller.ts';
import { getGenerationController } from '../get-generation/get-generation.controller.ts';
import { getResourceController } from '../get-resource/get-resource.controller.ts';
import { GetRunController } from '../get-run/get-run.controller.ts';
import { listGenerationsController } from '../list-generations/list-generations.controller.ts';
import { listResourcesController } from '../list-resources/list-resources.controller.ts';
import { ListRunsController } from '../list-runs/list-runs.controller.ts';
import { patchResourceController } from '../patch-resource/patch-resource.controller.ts';
import { putResourceController } from '../put-resource/put-resource.controller.ts';
import { RefreshToolProviderController } from '../refresh-tool-provider/refresh-tool-provider.controller.ts';
import { type ResourceType, resourceTypes } from '../resources/resource-type.ts';
import { RetryRunController } from '../retry-run/retry-run.controller.ts';

/** The verbs that a kind of resource has. */
function resourceControllers(type: ResourceType): Type[] {
  const verbs = [
    ...[listResourcesController, getResourceController, putResourceController, patchResourceController],
    ...[listGenerationsController, getGenerationController],
    ...(type.madeByUsers ? [createResourceController, deleteResourceController] : []),
  ];
  return verbs.map((verb) => verb(type));
}

/** Every route of the service. */
export const controllers: Type[] = [
  EvaluateHooksController,
  RefreshToolProviderController,
  ...resourceTypes.flatMap(resourceControllers),
  ...[CreateRunController, ListRunsController, GetRunController, RetryRunController, CancelRunController],
];
