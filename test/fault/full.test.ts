import { afterAll, describe, expect, it } from '@jest/globals';
import { startCluster } from '@agentstration/journal/contract-suite';
import { natsServerSetting } from '@agentstration/local-servers';
import { verifies } from '../support/verifies.ts';
import { clusterFaults } from './cluster-faults.ts';
import { type Fault, type FaultReport, FaultRig, type FaultRigOptions } from './fault-rig.ts';
import { faultTable, tellProgress } from './fault-table.ts';
import { brokers, brokersNotRun, firstSeed, form, seeds, severity } from './form.ts';
import { faultsOf, promisedOfAnyReplica } from './judge.ts';
import { diskFull, journalFull, mountSmallDisk, smallJournalBytes } from './storage-faults.ts';

const notRun = new Set(brokersNotRun);
if (brokers.length === 1 && notRun.size === 0) notRun.add('brokers newer than the installed one (none is named by NATS_BIN_*)');
const timeLimitMs = 300_000 * seeds.length;

/** Whether the executor itself tells its operator to use another broker. */
const isWarnedOf = async ({ executors }: FaultRig): Promise<boolean> =>
  (await executors[0]?.readiness())?.text.includes('"advice"') ?? false;

/** Three brokers of this program. */
async function startClusterOf(program: string | undefined): ReturnType<typeof startCluster> {
  const usual = process.env[natsServerSetting];
  if (program !== undefined) process.env[natsServerSetting] = program;
  try {
    return await startCluster();
  } finally {
    if (usual === undefined) delete process.env[natsServerSetting];
    else process.env[natsServerSetting] = usual;
  }
}

const full = form === 'full' ? describe : describe.skip;

full.each(brokers)(`a cluster, a full disk and a full Journal ($version, AGENTSTRATION_SEED=${firstSeed})`, ({ version, program }) => {
  const reports: FaultReport[] = [];
  const nats = program === undefined ? {} : { program };

  /** A system of its own for each seed, whose read model is verified in the end. */
  async function keepsPromises(fault: Fault, optionsOf: () => FaultRigOptions): Promise<void> {
    for (const seed of seeds) {
      const rig = await FaultRig.start(optionsOf());
      try {
        const report = await rig.run(fault, seed);
        reports.push(report);
        tellProgress(report);
        if (await isWarnedOf(rig)) {
          expect(faultsOf(promisedOfAnyReplica(report.broken))).toEqual([]);
          notRun.add(
            `whether the replicas of nats-server ${version} tell the same (the product warns that they may not; the table shows it)`,
          );
        } else {
          expect(faultsOf(report.broken)).toEqual([]);
          expect(await rig.readModel.differences()).toEqual([]);
        }
      } finally {
        await rig.stop();
      }
    }
  }

  afterAll(() => {
    process.stdout.write(`\nnats-server ${version}${faultTable(reports)}`);
    for (const what of notRun) process.stdout.write(`Not run: ${what}.\n`);
  });

  it.each(clusterFaults(severity).map((fault) => [fault.name, fault] as const))(
    verifies(['RIG-001', 'GATE-001', 'GATE-002'], 'keep every promise: %s'),
    async (_name, fault) => keepsPromises(fault, () => ({ cluster: () => startClusterOf(program) })),
    timeLimitMs,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F5 disk full'),
    async () => {
      const disk = await mountSmallDisk();
      if (!disk) return void notRun.add('F5 disk full (only root can mount a small disk)');
      try {
        await keepsPromises(diskFull(disk.directory, severity), () => ({ nats: { ...nats, dataDirectory: disk.directory } }));
      } finally {
        await disk.unmount();
      }
    },
    timeLimitMs,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F6 Journal full, then raised'),
    async () => {
      const environment = { Agentstration__Journal__MaximumBytes: String(smallJournalBytes) };
      await keepsPromises(journalFull, () => ({ nats, environment }));
    },
    timeLimitMs,
  );
});
