import { type Configuration, OpenApiSchemas, ProblemError, ProblemMappings } from '@agentstration/service-kit';
import { StoreUnavailable } from '@agentstration/store';
import { ensureGeneration } from '@agentstration/store/read-model';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { components } from './openapi/components.ts';
import { Connections } from './wiring/connections.ts';
import { controllers } from './wiring/controllers.ts';
import { providersOf } from './wiring/providers.ts';

/** The projector: folds the Journal into the read model, and answers from it. */
@Module({})
export class GovernanceProjectorModule implements OnModuleInit {
  static register(configuration: Configuration): DynamicModule {
    return { module: GovernanceProjectorModule, controllers, providers: providersOf(configuration) };
  }

  constructor(
    @Inject(ProblemMappings) private readonly problems: ProblemMappings,
    @Inject(Connections) private readonly connections: Connections,
    @Inject(OpenApiSchemas) private readonly schemas: OpenApiSchemas,
  ) {}

  /** The first start of all makes the read model before the first reader comes; a database that is down may come later. */
  async onModuleInit(): Promise<void> {
    this.schemas.add(components);
    this.problems.register(toUnavailable);
    await ensureGeneration(this.connections.database).catch(() => undefined);
  }
}

function toUnavailable(error: unknown): ProblemError | undefined {
  if (!(error instanceof StoreUnavailable)) return undefined;
  const outdated = error.code === 'outdated';
  const detail = outdated
    ? 'The read model was made by another version: an operator must rebuild it'
    : 'The read model cannot be used at the moment';
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': outdated ? '60' : '2' } });
}
