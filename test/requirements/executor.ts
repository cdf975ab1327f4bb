import type { Requirement } from '../requirements.ts';

/** Contract sections 2 to 5 and 7: the life of a tool call. */
export const executorRequirements = {
  'GATE-001': { text: 'No provider call happens without an acknowledged governance fact of the same attempt.' },
  'GATE-002': {
    text: 'An acknowledgement that is marked duplicate, has sequence 0, comes from another stream or is not above the floor opens nothing.',
  },
  'GATE-003': { text: 'A permit is made only for a recorded fact whose every evaluation is Allowed, is used once and expires.' },
  'GATE-004': { text: 'Whatever a publish of the governance fact comes to, an attempt without its record ends as governance unrecorded.' },
  'GATE-005': { text: 'A wrong-last-sequence or duplicate answer opens the gate only when the last message is byte for byte this fact.' },
  'GATE-006': { text: 'The governance fact comes before the provider call and before a denied or failed terminal fact.' },
  'HOOK-001': { text: 'Hooks run by ascending order, then by ordinal id; the first that does not allow ends the chain.' },
  'HOOK-002': { text: 'A hook that throws, times out or answers anything but a well-formed allow or deny is Failed and calls nothing.' },
  'HOOK-003': { text: 'Duplicate hook ids or more than 64 hooks fail the attempt as a hook failure that names which of them it was.' },
  'HOOK-004': { text: 'Hooks that cannot be resolved fail the attempt with one evaluation of hook-resolver, and it is tried again.' },
  'HOOK-005': {
    text: 'Entered hooks are notified in reverse order, all of them, without the result; a failure there fails a success and replaces no other failure.',
  },
  'HOOK-006': { text: 'Selectors compare whole ids, exactly; an empty list is a wildcard and lists combine with AND.' },
  'HOOK-007': { text: 'A row of a foreign scope or an invalid row fails the resolution of every call that it could govern.' },
  'HOOK-008': { text: 'A hook can change neither arguments nor result.' },
  'HOOK-009': {
    text: 'Local hooks are loaded from configured modules; one that does not load stops the start with a message that names it.',
  },
  'HOOK-010': { text: 'Hooks are resolved from the store on every attempt.' },
  'HOOK-012': { text: 'After a PUT has answered, no executor governs an attempt that begins later by an older generation of the hook.' },
  'HOOK-011': {
    text: 'The same hook holds on every way in: durable request, call, the caller’s retry, redelivery, AEP mapping, manual Run and its retry.',
  },
  'CALL-001': { text: 'Every attempt has a new invocationId and its own governance fact, also when no hook matched.' },
  'CALL-002': {
    text: 'An unknown, disabled or unavailable tool, or one of a disabled provider, is Rejected and traced with one evaluation of tool-catalog.',
  },
  'CALL-003': { text: 'A Request that ended finally is not executed again: the recorded outcome is told, its result lost.' },
  'CALL-004': {
    text: 'An attempt whose executor died is closed as abandoned; AtLeastOnce is attempted again, AtMostOnce after an allowed fact never.',
  },
  'CALL-005': {
    text: 'A resend with the same requestId, or a message of another Request, waits while the open attempt is held by a queued message.',
  },
  'CALL-006': { text: 'A known toolCallId with another toolId or agentId is Rejected, and nothing is called or recorded.' },
  'CALL-007': {
    text: 'attempt counts Started facts; attempts that fail for want of infrastructure are repeated after growing waits, the last one is final.',
  },
  'CALL-008': { text: 'A Started that could not be recorded is no attempt; the Request waits with the largest delay.' },
  'CALL-009': {
    text: 'The outcome of a made call is recorded under its own invocationId, also after another executor closed the attempt.',
  },
  'CALL-010': { text: 'A lost fence before the gate ends the attempt without a call.' },
  'CALL-011': { text: 'A call that may have run is repeated only where the tool asks for it and its delivery is AtLeastOnce.' },
  'CALL-012': { text: 'isError of the tool is a completed invocation with toolReportedError.' },
  'CALL-013': { text: 'Past its deadline nothing starts, and nothing is called.' },
  'CALL-014': {
    text: 'A cancelled call or Run does not start; between gate and call it calls nothing; after sending its outcome is Unknown.',
  },
  'CALL-015': {
    text: 'Any interleaving of executors, crashes and redeliveries keeps: a call implies an allowed fact before it, one running attempt, AtMostOnce at most once.',
  },
  'CALL-016': { text: 'N executors, one Request, no fault: exactly one provider call.' },
  'CALL-017': {
    text: 'The executor killed between gate and outcome leads to a second attempt with its own invocation and governance fact.',
  },
  'CALL-018': { text: 'A stored cancellation holds for calls that wait; what is cancelled has one outcome and is not repeated.' },
  'CALL-019': {
    text: 'Equal requestIds are one Request, others are the caller’s retry, and neither another Workspace’s ids nor a queue made anew are mistaken for it.',
  },
  'CALL-020': { text: 'A cancellation holds for every attempt of what was asked for before it, and for nothing that is asked for later.' },
  'CALL-021': { text: 'One provider call is bounded by the smaller timeoutMs of request and tool; a request without one asks for 60 s.' },
  'CALL-022': { text: 'Denials and refusals by the catalogue are final: the Request is not attempted again.' },
  'ARGS-001': { text: 'Arguments are retained only when the host or the Run says so; the Run decides over the host.' },
  'ARGS-002': { text: 'Retained text is what the provider receives, cut at a code point boundary to fit the bound with its suffix.' },
  'REQ-001': { text: 'A request on the queue leads to a result on its result subject and is removed from the queue.' },
  'REQ-002': {
    text: 'A message that is not a legal request becomes a dead letter with reason, size and hash, without arguments, and the queue goes on.',
  },
  'REQ-003': { text: 'A malformed request with usable identities gets a Rejected result.' },
  'REQ-004': { text: 'A tool that takes longer than the acknowledgement wait is called once: heartbeats keep the request.' },
  'REQ-005': { text: 'A result that the broker cannot carry is told as too_large; the outcome stands.' },
  'REQ-006': {
    text: 'Replies go only to inboxes of the request’s own Workspace; a call that may not be answered is not executed, counted and named in the log.',
  },
  'REQ-007': { text: 'A caller that waits on call receives the result, or learns at once that its request was refused.' },
  'REQ-008': { text: 'A Workspace above its share waits without holding a slot, and the others are served.' },
  'REQ-009': {
    text: 'No denial message, provider text, result, credential or unasked argument reaches a fact, the database, a log, a metric or a dead letter.',
  },
  'REQ-010': { text: 'SIGTERM drains: no request lost, no attempt cut between gate and outcome within the grace period.' },
  'REQ-017': { text: 'A shutdown that waits for requests in hand says so, and names how many it leaves when its grace period ends.' },
  'REQ-013': {
    text: 'Requests above a share return in proportion to what the Workspace gets done, however many wait: their traffic silences nobody.',
  },
  'REQ-014': {
    text: 'The W3C trace context of a request is continued in its facts: by the span of the attempt, or ids of their own where none is exported.',
  },
  'REQ-015': { text: 'A Workspace whose queue is full is refused at once, durably and by call; other Workspaces are served.' },
  'REQ-016': {
    text: 'No denial message, provider text, result, credential or unasked argument reaches an exported span or a problem document.',
  },
  'REQ-012': {
    text: 'Where each Workspace has a broker account of its own, callers are answered across accounts, and nothing is answered elsewhere.',
  },
  'REQ-011': { text: 'A broker that was restarted and forgot the stream of results gets it again, without an operator.' },
  'START-001': { text: 'An executor whose Journal, queue or database is missing starts all the same, is not ready, and says what to do.' },
  'START-002': { text: 'It goes on by itself once they are there, and takes up the requests that waited.' },
  'START-003': {
    text: 'A request consumer with other settings than the executor relies on keeps it unready with the reason, and takes nothing.',
  },
  'START-004': {
    text: 'A full Journal keeps new attempts in the queue; raising MaximumBytes with provision heals it without a restart, and nothing is lost or called twice.',
  },
  'START-005': {
    text: 'A stream of dead letters that is missing keeps the executor unready with the reason; a bad request is kept until it is there, and the others are served.',
  },
  'METRIC-001': { text: 'The executor counts attempts by outcome and failure kind, and gate refusals by reason.' },
  'METRIC-002': {
    text: 'Its /metrics show them with running requests and provider calls by code, and no label names a workspace or an id.',
  },
  'RIG-001': {
    text: 'Faults F1 to F14, F17 and F18 keep the invariants, shown from oracle, Journal, database and requester history.',
  },
  'RIG-002': {
    text:
      'Deliberate bugs are each caught: a call before the acknowledgement, an accepted sequence 0, duplicate, time-out or acknowledgement ' +
      'of a recreated stream, a request acknowledged before its terminal fact, an ignored fence, a swallowed error of a hook, ' +
      "another workspace's provider.",
  },
  'RIG-003': {
    text: "Under every fault no call carries another workspace's credentials, and no requester is told of another workspace's call (I8).",
  },
  'RIG-004': {
    text: 'After every fault no process is left without an owner, no connection is held, and nobody has reconnected more often than its waits allow (I10).',
  },
  'RIG-005': {
    text: 'After every fault the attempts in the database are those of the Journal, none open; in the end the read model equals the fold of the Journal (I6).',
  },
  'RIG-006': { text: 'An MCP server fails over stdio and over Streamable HTTP, and the outcome that is told is the true one (F11).' },
} as const satisfies Record<string, Requirement>;
