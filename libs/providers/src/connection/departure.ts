import { ProviderFailure } from '../failures/provider-failure.ts';

/**
 * The moment in which a request leaves the process. A transport asks {@link leave} when the connection stands and the
 * next thing it does is to write the request: whatever happens before that is provably not sent, whatever happens after
 * it is not.
 */
export class Departure {
  #state: 'waiting' | 'left' | 'refused' | 'withdrawn' = 'waiting';

  /** @param mayLeave asked once, at that moment: a call spends its permit there */
  constructor(private readonly mayLeave: () => boolean = () => true) {}

  /** @throws ProviderFailure when the request may not leave any more; then nothing of it may be written */
  leave(): void {
    if (this.#state === 'waiting') this.#state = this.mayLeave() ? 'left' : 'refused';
    else if (this.#state === 'left') throw new ProviderFailure('provider_connection_lost', 'A request leaves once.');
    if (this.#state !== 'left') throw new ProviderFailure('provider_unreachable', 'The request may not leave.');
  }

  /** From now on the request cannot leave, unless it has. */
  withdraw(): void {
    if (this.#state === 'waiting') this.#state = 'withdrawn';
  }

  /** True as soon as the provider may have received anything. */
  get left(): boolean {
    return this.#state === 'left';
  }

  /** The permit was used or too old. */
  get refused(): boolean {
    return this.#state === 'refused';
  }
}
