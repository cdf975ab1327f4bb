// The tool-executor as it is, with failpoints around its ports. AGENTSTRATION_FAILPOINT names where it stops for good and
// says so; AGENTSTRATION_BUG plants a deliberate bug; AGENTSTRATION_CLOCK_JUMP_MS makes its wall clock jump to and fro by
// that much; AGENTSTRATION_LEDGER is where it writes down what was acknowledged. The rig then kills it, so that the crash point is exact. Its metrics show the pool of database connections, too.
import { MetricsRegistry, createService, loadConfiguration, runService } from '@agentstration/service-kit';
import { ToolExecutorModule, takeRequests } from '@agentstration/tool-executor';
import type { ExecutorParts } from '@agentstration/tool-executor/testing';
import { bugs } from './bugs.ts';
import { type Failpoint, withFailpoint } from './failpoints.ts';
import { withLedger } from './ledger.ts';
import { showPools, watchPools } from './pools.ts';

const failpoint = process.env.AGENTSTRATION_FAILPOINT as Failpoint | undefined;
const bug = process.env.AGENTSTRATION_BUG;
const ledger = process.env.AGENTSTRATION_LEDGER;
const jumpMs = Number(process.env.AGENTSTRATION_CLOCK_JUMP_MS ?? 0);
const jumpEveryMs = 200;

const withJumps = (parts: ExecutorParts): ExecutorParts => {
  const sign = (): number => (Math.floor(performance.now() / jumpEveryMs) % 2 === 0 ? 1 : -1);
  return { ...parts, clock: { ...parts.clock, now: () => new Date(Date.now() + sign() * jumpMs) } };
};

function decorate(parts: ExecutorParts): ExecutorParts {
  const written = ledger === undefined ? parts : withLedger(parts, ledger);
  const buggy = bug === undefined ? written : (bugs[bug]?.(written) ?? written);
  const jumping = jumpMs === 0 ? buggy : withJumps(buggy);
  return failpoint === undefined ? jumping : withFailpoint(jumping, failpoint);
}

watchPools();
runService(async () => {
  const configuration = loadConfiguration();
  const service = await createService(ToolExecutorModule.register(configuration, decorate), { name: 'tool-executor', configuration });
  showPools(service.get(MetricsRegistry));
  await takeRequests(service);
  await service.listen(configuration.Http.Port, configuration.Http.Host);
  return service;
});
