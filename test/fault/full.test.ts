import { afterAll, describe, expect, it } from '@jest/globals';
import { startCluster } from '@agentstration/journal/contract-suite';
import type { SystemOptions } from '../support/system/governance-system.ts';
import { verifies } from '../support/verifies.ts';
import { clusterFaults } from './cluster-faults.ts';
import { type Fault, type FaultReport, FaultRig } from './fault-rig.ts';
import { faultTable, tellProgress } from './fault-table.ts';
import { firstSeed, form, otherBrokers, seeds, severity } from './form.ts';
import { diskFull, journalFull, mountSmallDisk, smallJournalBytes } from './storage-faults.ts';

const reports: FaultReport[] = [];
const notRun: string[] = otherBrokers.length === 0 ? ['brokers newer than the installed one (none is named by NATS_BIN_*)'] : [];

async function keepsPromises(faults: readonly Fault[], options: Omit<SystemOptions, 'tools'>): Promise<void> {
  const rig = await FaultRig.start(options);
  try {
    for (const fault of faults) {
      for (const seed of seeds) {
        const report = await rig.run(fault, seed);
        reports.push(report);
        tellProgress(report);
        expect(report.faults).toEqual([]);
      }
    }
  } finally {
    await rig.stop();
  }
}

(form === 'full' ? describe : describe.skip)(`a cluster, a full disk and a full Journal (AGENTSTRATION_SEED=${firstSeed})`, () => {
  afterAll(() => {
    process.stdout.write(faultTable(reports));
    for (const what of notRun) process.stdout.write(`Not run: ${what}.\n`);
  });

  it.each(clusterFaults(severity).map((fault) => [fault.name, fault] as const))(
    verifies(['RIG-001', 'GATE-001', 'GATE-002'], 'keep every promise: %s'),
    async (_name, fault) => keepsPromises([fault], { cluster: startCluster }),
    300_000,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F5 disk full'),
    async () => {
      const disk = await mountSmallDisk();
      if (!disk) return void notRun.push('F5 disk full (only root can mount a small disk)');
      try {
        await keepsPromises([diskFull(disk.directory, severity)], { nats: { dataDirectory: disk.directory } });
      } finally {
        await disk.unmount();
      }
    },
    300_000,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F6 Journal full, then raised'),
    async () => {
      for (const seed of seeds) {
        const rig = await FaultRig.start({ environment: { Agentstration__Journal__MaximumBytes: String(smallJournalBytes) } });
        try {
          const report = await rig.run(journalFull, seed);
          reports.push(report);
          tellProgress(report);
          expect(report.faults).toEqual([]);
        } finally {
          await rig.stop();
        }
      }
    },
    300_000,
  );
});
