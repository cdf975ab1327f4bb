import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@agentstration/local-servers';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type FaultReport, FaultRig } from './fault-rig.ts';
import { faultTable, tellProgress } from './fault-table.ts';
import { recreateJournal, singleNodeFaults } from './faults.ts';
import { brokers, firstSeed, form, seeds, severity, soakMs } from './form.ts';
import { faultsOf } from './judge.ts';
import { providerFaults } from './provider-faults.ts';

/** Variants of faults that the short form shows anyway: it has to stay short. */
const onlyInFull = /sequence 0$|acknowledgement: duplicate$|another stream$|2 MiB$|stdio result of 12 MiB$|connection reset$|lost twice$/;
const faults = [...singleNodeFaults(severity), ...providerFaults(1_000)].filter(({ name }) => form !== 'smoke' || !onlyInFull.test(name));

describe.each(brokers)(`one broker ($version), one database and their network (AGENTSTRATION_SEED=${firstSeed})`, ({ program }) => {
  let rig: FaultRig;
  const reports: FaultReport[] = [];

  beforeAll(async () => {
    rig = await FaultRig.start(program === undefined ? {} : { nats: { program } });
  }, 180_000);
  afterAll(async () => {
    process.stdout.write(faultTable(reports));
    await rig.stop();
  }, 60_000);

  it.each(faults.map((fault) => [fault.name, fault] as const))(
    verifies(['RIG-001', 'RIG-003', 'RIG-004', 'RIG-006', 'GATE-001', 'CALL-004', 'REQ-011'], 'keep every promise: %s'),
    async (_name, fault) => {
      for (const seed of seeds) {
        const report = await rig.run(fault, seed);
        reports.push(report);
        tellProgress(report);
        expect(faultsOf(report.broken)).toEqual([]);
        expect(report.calls).toBeGreaterThan(0);
      }
    },
    300_000 * seeds.length,
  );

  it(
    verifies(['RIG-005', 'PROJ-010'], 'leave a read model that equals the fold of the Journal (I6)'),
    async () => expect(await rig.readModel.differences()).toEqual([]),
    120_000,
  );

  (form === 'soak' ? it : it.skip)(
    verifies('RIG-001', 'keep every promise for as long as they are told to'),
    async () => {
      const ends = performance.now() + soakMs;
      for (let seed = firstSeed + 1; performance.now() < ends; seed++) {
        const fault = faults[seed % faults.length];
        if (!fault) continue;
        const report = await rig.run(fault, seed);
        reports.push(report);
        tellProgress(report);
        expect(faultsOf(report.broken)).toEqual([]);
      }
    },
    soakMs + 120_000,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F17 the Journal is deleted and made again'),
    async () => {
      await recreateJournal(rig);
      const before = (await rig.oracle()).length;
      const readiness = () => rig.executors[0]?.readiness();
      await eventually(async () => expect(await readiness()).toMatchObject({ status: 503 }), { within: 30_000 });
      await rig.requester.publish(request('after-recreation', '', { toolId: 'local.ok' }));
      await eventually(async () => expect((await readiness())?.text).toContain('The Journal was recreated'), { within: 30_000 });
      await sleep(severity.outageMs / 2);
      expect(await rig.requester.queued()).toBeGreaterThan(0);
      expect((await rig.oracle()).length).toBe(before);
    },
    180_000,
  );
});
