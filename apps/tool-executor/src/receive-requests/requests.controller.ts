import { subjectFilters } from '@agentstration/contracts';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { HeldRequest } from './held-request.ts';
import { type Reception, receiveRequest } from './receive-request.ts';

export const receptionToken = Symbol('Reception');

/** Durable requests from the work queue. */
@Controller()
export class RequestsController {
  constructor(@Inject(receptionToken) private readonly reception: Reception) {}

  @EventPattern(subjectFilters.requests)
  receive(@Payload() held: HeldRequest): Promise<void> {
    return receiveRequest(this.reception, held);
  }
}
