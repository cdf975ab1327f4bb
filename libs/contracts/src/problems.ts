import type { Fault } from './schema.ts';

/** RFC 9457 problem document. `errors` names every fault of an invalid definition at once. */
export interface ProblemDocument {
  /** `https://agentstration.io/problems/<code>`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  /** A stable code of the part that failed, where `code` only says which part that is: see `provider_failed`. */
  readonly reason?: string;
  readonly errors?: readonly Fault[];
}

export const problemType = (code: string): string => `https://agentstration.io/problems/${code}`;
export const problemContentType = 'application/problem+json';

/** Every problem code of the HTTP APIs with its status and title. */
export const problems = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  workspace_required: { status: 400, title: 'Several workspaces: name one in the Agentstration-Workspace header' },
  invalid_owner_kind: { status: 400, title: 'Not an owner kind' },
  invalid_after_sequence: { status: 400, title: 'Not a sequence' },
  invalid_limit: { status: 400, title: 'Not a page size' },
  invalid_resource_generation: { status: 400, title: 'Not a resource generation' },
  invalid_decision: { status: 400, title: 'Not a decision' },
  invalid_outcome: { status: 400, title: 'Not an outcome' },
  invalid_time: { status: 400, title: 'Not a time' },
  invalid_cursor: { status: 400, title: 'Not a cursor of this query' },
  invalid_parameter: { status: 400, title: 'Not a valid parameter' },
  unauthenticated: { status: 401, title: 'A valid bearer token is needed' },
  permission_denied: { status: 403, title: 'Not permitted' },
  workspace_denied: { status: 403, title: 'Not a workspace of this token' },
  host_denied: { status: 403, title: 'Not a host of this service' },
  resource_not_found: { status: 404, title: 'No such resource' },
  run_not_found: { status: 404, title: 'No such run' },
  route_not_found: { status: 404, title: 'No such route' },
  method_not_allowed: { status: 405, title: 'No such method on this route' },
  already_exists: { status: 409, title: 'The name is taken' },
  arguments_not_retained: { status: 409, title: 'Arguments were not retained and must be given again' },
  conflict: { status: 409, title: 'Not possible in the present state' },
  etag_mismatch: { status: 412, title: 'The resource has changed' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Not a supported content type' },
  invalid_definition: { status: 422, title: 'The definition is invalid' },
  precondition_required: { status: 428, title: 'If-Match is required' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  provider_failed: { status: 502, title: 'The tool provider did not answer as it must' },
  unavailable: { status: 503, title: 'Not available at the moment' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;
