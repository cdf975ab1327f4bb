import type { Role } from './roles.ts';

export interface DevelopmentTokenRequest {
  /** `DataDirectory` of the configuration: where the key is kept. */
  readonly dataDirectory: string;
  readonly tenant: string;
  readonly workspaces: readonly string[];
  readonly role: Role;
  /** The `sub`. Default: `developer`. */
  readonly principal?: string;
  /** Life of the token, in seconds. Default: 30 days. Negative values make expired tokens. */
  readonly expiresInSeconds?: number;
}

/** A token that a service in Development mode with the same data directory accepts. Makes the key when there is none. */
export function developmentToken(_request: DevelopmentTokenRequest): Promise<string> {
  return Promise.reject(new Error('being written'));
}
