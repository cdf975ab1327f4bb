import { setTimeout as sleep } from 'node:timers/promises';
import { streams } from '@agentstration/contracts';
import { type NatsServer, eventually } from '@agentstration/local-servers';
import { jetstreamManager } from '@nats-io/jetstream';
import type { Fault, FaultRig } from './fault-rig.ts';
import type { Severity } from './faults.ts';

/** Permits made before the fault are used, or have expired. */
const permitsOverMs = 3_000;

/** Names of the brokers of a cluster start with this and end with their number. */
async function membersOf({ system, requester }: FaultRig): Promise<{ leader: NatsServer; followers: readonly NatsServer[] }> {
  const manager = await jetstreamManager(requester.connection, { checkAPI: false });
  const name = await eventually(async () => {
    const { cluster } = await manager.streams.info(streams.journal);
    if (!cluster?.leader) throw new Error('The Journal has no leader.');
    return cluster.leader;
  });
  const leader = system.brokers[Number(name.split('-').at(-1)) - 1];
  if (!leader) throw new Error(`${name} is none of the brokers.`);
  return { leader, followers: system.brokers.filter((broker) => broker !== leader) };
}

/** F2, F3: three brokers, every stream on each of them. */
export const clusterFaults = ({ outageMs }: Severity): readonly Fault[] => [
  {
    name: 'F2 leader killed and restarted',
    inject: async (rig) => {
      const { leader } = await membersOf(rig);
      await leader.kill();
      await sleep(outageMs);
      await leader.restart();
    },
  },
  {
    name: 'F2 leader stands still',
    inject: async (rig) => {
      const { leader } = await membersOf(rig);
      await leader.suspend();
      await sleep(outageMs);
      leader.resume();
    },
  },
  {
    name: 'F3 two followers dead, then the leader',
    inject: async (rig) => {
      const { leader, followers } = await membersOf(rig);
      await Promise.all(followers.map((follower) => follower.kill()));
      await sleep(permitsOverMs);
      const calls = (await rig.oracle()).length;
      await sleep(outageMs);
      const more = (await rig.oracle()).length - calls;
      await leader.kill();
      await Promise.all(rig.system.brokers.map((broker) => broker.restart()));
      if (more > 0) throw new Error(`${more} calls were made without a quorum.`);
    },
  },
];
