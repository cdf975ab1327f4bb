import type { Scope } from '@agentstration/contracts';
import type { ExecutorLog } from '../execute-tool-call/executor-parts.ts';
import type { UnansweredCall } from './accept-call.ts';

/** A client with a wrong inbox prefix goes on asking: one line in a while says enough, and the counter says how often. */
const silenceMs = 10_000;

const advice: Readonly<Record<UnansweredCall, string>> = {
  no_reply_subject: 'a call without a reply subject is dropped: publish a request instead, or ask with request/reply',
  foreign_reply_subject:
    "a call is dropped: its reply subject is not below the inbox prefix of its workspace; set the client's inbox prefix",
};

/** Counts each, and says so in the log now and then. */
export function complainOfUnansweredCalls(
  log: ExecutorLog,
  meter: { callUnanswered(why: UnansweredCall): void },
): (scope: Scope, why: UnansweredCall) => void {
  const saidAt = new Map<UnansweredCall, number>();
  return (scope, why) => {
    meter.callUnanswered(why);
    const now = performance.now();
    if (now - (saidAt.get(why) ?? Number.NEGATIVE_INFINITY) < silenceMs) return;
    saidAt.set(why, now);
    log.warn({ ...scope, reason: why }, advice[why]);
  };
}
