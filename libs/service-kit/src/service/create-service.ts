import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Configuration } from '../configuration/configuration.ts';

export interface ServiceOptions {
  readonly name: string;
  readonly configuration: Configuration;
}

/** An application with everything that each of our services has. It does not listen yet. */
export function createService(_module: DynamicModule | Type, _options: ServiceOptions): Promise<NestExpressApplication> {
  return Promise.reject(new Error('being written'));
}
