import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Difference, describeDifference, differences } from '../verify/journal-properties.ts';
import { type StreamSettings, requestConsumerDefinition, streamDefinitions } from './stream-definitions.ts';
import { type Target, toRequestConsumer, toStream } from './targets.ts';

/** What provisioning did to one stream or consumer. */
export interface Provisioned {
  readonly name: string;
  readonly action: 'created' | 'unchanged' | 'raised';
}

/** Something that exists is not as it must be, and provisioning may not change it. `differences` names each property. */
export class ProvisioningRefused extends Error {
  constructor(readonly differences: readonly string[]) {
    const rule = "Provisioning only creates what is missing, and only raises the Journal's MaximumBytes and replicas";
    super(`${rule}. It refuses, and has changed nothing of:\n${differences.join('\n')}`);
    this.name = 'ProvisioningRefused';
  }
}

/** A cluster may need an election for each stream that is made. */
const timeoutMs = 10_000;

/**
 * Creates the streams of the product and the consumer of the request queue where they are missing, and compares those
 * that exist. It may raise the Journal's MaximumBytes and replicas (of the other streams with them) and changes nothing
 * else. Idempotent, also when several run at once.
 *
 * @throws ProvisioningRefused naming every difference at once; nothing was created or changed then
 */
export async function provisionStreams(connection: NatsConnection, settings: StreamSettings): Promise<readonly Provisioned[]> {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
  const targets = [
    ...streamDefinitions(settings).map((definition) => toStream(manager, definition)),
    toRequestConsumer(manager, requestConsumerDefinition(settings)),
  ];
  const plan = await Promise.all(targets.map(compare));
  refuse(plan.flatMap(({ refused }) => refused));
  const done: Provisioned[] = [];
  for (const { target, exists, raises } of plan)
    done.push({ name: target.definition.name, action: await carryOut(target, exists, raises) });
  await confirm(targets);
  return done;
}

interface Comparison {
  readonly target: Target;
  readonly exists: boolean;
  readonly raises: readonly Difference[];
  readonly refused: readonly string[];
}

async function compare(target: Target): Promise<Comparison> {
  const { definition, raisable } = target;
  const actual = await ask(`read ${definition.name}`, () => target.read());
  const found = actual === undefined ? [] : differences(actual, definition);
  const raises = found.filter((difference) => raisable.includes(difference.property) && isRaise(difference));
  const refused = found
    .filter((difference) => !raises.includes(difference))
    .map((difference) => describeDifference(difference, definition.name));
  return { target, exists: actual !== undefined, raises, refused };
}

/** -1 is no limit: nothing is above it. */
const isRaise = ({ actual, wanted }: Difference): boolean =>
  typeof actual === 'number' && typeof wanted === 'number' && actual > 0 && wanted > actual;

async function carryOut(target: Target, exists: boolean, raises: readonly Difference[]): Promise<Provisioned['action']> {
  const { name } = target.definition;
  if (!exists) {
    await ask(`create ${name}`, () => target.create());
    return 'created';
  }
  if (raises.length === 0) return 'unchanged';
  await ask(`raise ${name}`, () => target.raise(Object.fromEntries(raises.map(({ property, wanted }) => [property, wanted]))));
  return 'raised';
}

/** Older brokers ignore what they do not know, and another provisioning may have been quicker: only what is read back counts. */
async function confirm(targets: readonly Target[]): Promise<void> {
  const after = await Promise.all(targets.map(compare));
  const wrong = after.flatMap(({ target, exists, raises, refused }) => [
    ...(exists ? [] : [`${target.definition.name}: is gone again`]),
    ...raises.map((difference) => describeDifference(difference, target.definition.name)),
    ...refused,
  ]);
  refuse(wrong);
}

function refuse(differencesFound: readonly string[]): void {
  if (differencesFound.length > 0) throw new ProvisioningRefused(differencesFound);
}

async function ask<Result>(what: string, question: () => Promise<Result>): Promise<Result> {
  try {
    return await question();
  } catch (error) {
    throw new Error(`The broker does not ${what}: ${error instanceof Error ? error.message : 'no answer'}`, { cause: error });
  }
}
