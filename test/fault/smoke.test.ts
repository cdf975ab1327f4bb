import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { FaultRig } from './fault-rig.ts';
import { recreateJournal, singleNodeFaults } from './faults.ts';
import { faultTable } from './fault-table.ts';
import type { FaultReport } from './fault-rig.ts';

const seed = Number(process.env.AGENTSTRATION_SEED ?? Math.floor(Math.random() * 1_000_000));

describe(`faults of one broker, one database and their network (AGENTSTRATION_SEED=${seed})`, () => {
  let rig: FaultRig;
  const reports: FaultReport[] = [];

  beforeAll(async () => {
    rig = await FaultRig.start();
  }, 60_000);
  afterAll(async () => {
    process.stdout.write(faultTable(reports));
    await rig.stop();
  });

  it.each(singleNodeFaults({ outageMs: 2_000 }).map((fault) => [fault.name, fault] as const))(
    verifies(['RIG-001', 'GATE-001', 'CALL-004'], 'keep every promise: %s'),
    async (_name, fault) => {
      const report = await rig.run(fault, seed);
      reports.push(report);
      expect(report.faults).toEqual([]);
      expect(report.calls).toBeGreaterThan(0);
    },
    90_000,
  );

  it(
    verifies(['RIG-001', 'GATE-001'], 'keep every promise: F17 the Journal is deleted and made again'),
    async () => {
      await recreateJournal(rig);
      const before = (await rig.system.oracle()).length;
      const [executor] = rig.executors;
      await eventually(async () => expect(await executor?.readiness()).toMatchObject({ status: 503 }), { within: 10_000 });
      await rig.requester.publish(request('after-recreation', 'ok'));
      await eventually(async () => expect(await rig.requester.queued()).toBeGreaterThan(0), { within: 5_000 });
      await eventually(async () => expect((await executor?.readiness())?.text).toContain('The Journal was recreated'), { within: 10_000 });
      expect((await rig.system.oracle()).length).toBe(before);
    },
    60_000,
  );
});
