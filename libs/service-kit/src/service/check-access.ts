import type { Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { accessKey } from '../identity/access.ts';

/** Refuses to start with a route that does not say who may call it: found here rather than by its first caller. */
export function checkAccess(application: INestApplication): void {
  const controllers = [...application.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const silent = controllers.flatMap(({ metatype }) => silentRoutes(metatype as Type<object>));
  if (silent.length > 0) throw new Error(`These routes declare neither @Requires(…) nor @Public(): ${silent.join(', ')}`);
}

function silentRoutes(controller: Type<object>): string[] {
  if (Reflect.hasMetadata(accessKey, controller)) return [];
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .filter((name) => isRoute(prototype[name] ?? {}) && !Reflect.hasMetadata(accessKey, prototype[name] ?? {}))
    .map((name) => `${controller.name}.${name}`);
}

/** Nest marks the handlers of HTTP routes with a path and a method. */
const isRoute = (handler: object): boolean => Reflect.hasMetadata('path', handler) && Reflect.hasMetadata('method', handler);
