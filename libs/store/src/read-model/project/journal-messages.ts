import type { ReadMessage } from '@agentstration/governance';

/** A message of the Journal, read. */
export interface ProjectedMessage extends ReadMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly payload: Uint8Array;
  /** When the broker stored it, in milliseconds since 1970. */
  readonly storedAt: number;
}
