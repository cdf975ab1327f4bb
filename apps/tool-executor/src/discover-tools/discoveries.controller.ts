import { parseScope, subjectFilters } from '@agentstration/contracts';
import type { ToolDiscovery } from '@agentstration/governance';
import type { Msg } from '@nats-io/transport-node';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { discoverTools } from './discover-tools.ts';

export const discoveryToken = Symbol('ToolDiscovery');

/** Only the executor reaches providers: it discovers on behalf of the management API. */
@Controller()
export class DiscoveriesController {
  constructor(@Inject(discoveryToken) private readonly discovery: ToolDiscovery) {}

  @EventPattern(subjectFilters.discover)
  async discover(@Payload() message: Msg): Promise<void> {
    const scope = parseScope(message.subject);
    if (scope) message.respond(JSON.stringify(await discoverTools(this.discovery, scope, message.data)));
  }
}
