/**
 * Why a provider could not be reached, or gave no answer that can be used. Closed: these are the codes of
 * `DiscoveryFailed` and of events; `docs/reference/codes.md` tells administrators what to do about each.
 */
export const failureCodes = [
  /** No connection: refused, not resolved, not trusted, timed out, or broken before the request left. */
  'provider_unreachable',
  /** Connected, but the server does not get ready, or it is left alone for a while after it failed. */
  'provider_unavailable',
  'endpoint_invalid',
  /** The endpoint's address is loopback, link-local, private or otherwise inside, and the host does not allow it. */
  'address_not_permitted',
  /** No such stdio profile is open to the Workspace. */
  'profile_not_permitted',
  /** No such secret is open to the Workspace, for that host, over that scheme. */
  'secret_not_permitted',
  'secret_unreadable',
  'header_not_permitted',
  /** No such extension is open to the Workspace. */
  'extension_not_permitted',
  /** The descriptor cannot be fetched, or is not what the extension protocol says. */
  'extension_descriptor_invalid',
  /** The extension says that it is another one. */
  'extension_identity_mismatch',
  /** A contribution names a tool that its server does not offer, or the contribution is gone. */
  'extension_tool_missing',
  /** The provider answered with an error of the protocol. */
  'provider_error',
  'provider_protocol_error',
  'provider_result_too_large',
  'provider_timeout',
  /** Sent, and the connection broke before the answer. */
  'provider_connection_lost',
  /** The server does not know the session any more: the request was not executed. */
  'provider_session_gone',
  /** The session ended while the answer was awaited. */
  'provider_session_lost',
  'tool_list_endless',
  'tool_list_too_large',
  'tool_name_duplicate',
  'tool_invalid',
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** A failure of ours to use a provider. The message is for administrators and holds no text of the provider. */
export class ProviderFailure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProviderFailure';
  }
}
