import { subjectFilters } from '@agentstration/contracts';
import type { Msg } from '@nats-io/transport-node';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { acceptCall } from './accept-call.ts';
import type { Reception } from './receive-request.ts';
import { receptionToken } from './requests.controller.ts';

/** Callers that wait for their result. */
@Controller()
export class CallsController {
  constructor(@Inject(receptionToken) private readonly reception: Reception) {}

  @EventPattern(subjectFilters.calls)
  accept(@Payload() message: Msg): Promise<void> {
    return acceptCall(this.reception, message);
  }
}
