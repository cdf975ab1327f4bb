import { type Configuration, ProblemError, ProblemMappings } from '@agentstration/service-kit';
import { StoreUnavailable } from '@agentstration/store';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { controllers } from './wiring/controllers.ts';
import { providersOf } from './wiring/providers.ts';

/** The projector: folds the Journal into the read model, and answers from it. */
@Module({})
export class GovernanceProjectorModule implements OnModuleInit {
  static register(configuration: Configuration): DynamicModule {
    return { module: GovernanceProjectorModule, controllers, providers: providersOf(configuration) };
  }

  constructor(@Inject(ProblemMappings) private readonly problems: ProblemMappings) {}

  onModuleInit(): void {
    this.problems.register(toUnavailable);
  }
}

const toUnavailable = (error: unknown): ProblemError | undefined =>
  error instanceof StoreUnavailable
    ? new ProblemError('unavailable', 'The read model cannot be used at the moment', { headers: { 'Retry-After': '2' } })
    : undefined;
