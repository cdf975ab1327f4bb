import {
  type CancelRequest,
  cancelRequestSchema,
  compileSchema,
  parseScope,
  parseStrictJson,
  subjectFilters,
} from '@agentstration/contracts';
import type { Msg } from '@nats-io/transport-node';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { RunningCalls } from './running-calls.ts';

const check = compileSchema(cancelRequestSchema);

/** Cancellation reaches every executor, and takes effect in the one that runs the call. */
@Controller()
export class CancelsController {
  constructor(@Inject(RunningCalls) private readonly calls: RunningCalls) {}

  @EventPattern(subjectFilters.cancels)
  cancel(@Payload() message: Msg): void {
    const scope = parseScope(message.subject);
    const cancel = read(message.data);
    if (scope && cancel) this.calls.cancel(scope, cancel);
  }
}

/** A core message has nobody to answer to: what is not a cancellation cancels nothing. */
function read(payload: Uint8Array): CancelRequest | undefined {
  try {
    const document = parseStrictJson(payload);
    return check(document).length === 0 ? (document as CancelRequest) : undefined;
  } catch {
    return undefined;
  }
}
