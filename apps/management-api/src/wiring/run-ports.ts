import { hostname } from 'node:os';
import { cancelSubject } from '@agentstration/contracts';
import type { RunStore } from '@agentstration/store';
import { v7 as newId } from 'uuid';
import type { CancelRunPorts } from '../cancel-run/cancel-run.ts';
import type { OutboxPublisher } from '../publish-outbox/outbox-publisher.ts';
import type { RetryRunPorts } from '../retry-run/retry-run.ts';
import type { FactStamp } from '../runs/run-messages.ts';
import type { RunProgress } from '../runs/run-ports.ts';
import type { Connections } from './connections.ts';

const source = `agentstration/management-api/${hostname()}-${process.pid}`;
const stamp = (): FactStamp => ({ id: newId(), time: new Date().toISOString(), source });

/** What a broker takes when it has not said otherwise. */
const defaultMaximumPayload = 1024 * 1024;

export type RunPorts = RetryRunPorts & CancelRunPorts & { readonly progress: RunProgress };

interface RunParts {
  readonly runs: RunStore;
  readonly progress: RunProgress;
  readonly publisher: OutboxPublisher;
}

export const toRunPorts = ({ nats }: Connections, { runs, progress, publisher }: RunParts): RunPorts => ({
  runs,
  progress,
  newId,
  stamp,
  maximumRequestBytes: () => nats.info?.max_payload ?? defaultMaximumPayload,
  nudge: () => publisher.nudge(),
  signal: (run, cancel) => void (nats.isClosed() || nats.publish(cancelSubject(run), JSON.stringify(cancel))),
});
