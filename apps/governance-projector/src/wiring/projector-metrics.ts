import type { MetricsRegistry } from '@agentstration/service-kit';
import { Counter, Gauge } from 'prom-client';
import type { ProjectorStatus } from '../project-journal/projector.ts';

/** What an operator watches: how far the projection is, how fast, and whether it stands still. */
export class ProjectorMetrics {
  readonly #messages: Counter;
  readonly #deadLetters: Counter;
  readonly #sequence: Gauge;
  readonly #state: Gauge<'state'>;

  constructor(registry: MetricsRegistry) {
    const registers = [registry];
    this.#messages = new Counter({ name: 'agentstration_projector_messages_total', help: 'Journal messages projected.', registers });
    this.#deadLetters = new Counter({
      name: 'agentstration_projector_dead_letters_total',
      help: 'Messages that are no readable fact.',
      registers,
    });
    this.#sequence = new Gauge({ name: 'agentstration_projector_sequence', help: 'Journal sequence of the checkpoint.', registers });
    this.#state = new Gauge({
      name: 'agentstration_projector_state',
      help: '1 for the state that the projector is in.',
      labelNames: ['state'],
      registers,
    });
  }

  projected({ sequence, messages, deadLetters }: { sequence: number; messages: number; deadLetters: number }): void {
    this.#messages.inc(messages);
    this.#deadLetters.inc(deadLetters);
    this.#sequence.set(sequence);
  }

  changed({ state, sequence }: ProjectorStatus): void {
    this.#state.reset();
    this.#state.set({ state }, 1);
    this.#sequence.set(sequence);
  }
}
