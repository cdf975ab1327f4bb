import { openGate } from '@agentstration/governance';
import type { Permit, PermittedAttempt, ProviderCall, ToolProviders } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { issuePermit } from './contract-suite/index.ts';
import { FakeToolProviders } from './fake/index.ts';
import type { McpToolProviders } from './index.ts';

const tool = { providerId: 'everything', externalToolId: 'echo' };

/** Never run: `tsc` fails when one of these lines compiles. */
export async function cannotCompile(providers: ToolProviders, real: McpToolProviders, call: ProviderCall): Promise<void> {
  const attempt: PermittedAttempt = { invocationId: 'i', ...tool };
  // @ts-expect-error A call without a permit.
  await providers.call(call);
  // @ts-expect-error Nothing in the place of a permit.
  await real.call(undefined, call);
  // @ts-expect-error Something that looks like a permit.
  await real.call({ attempt, use: () => ({ usable: true }), resend: () => ({ usable: true }) }, call);
  // @ts-expect-error What a permit allows is no permit.
  await new FakeToolProviders().call(attempt, call);
}

describe('a permit', () => {
  it(verifies('PROV-001', 'cannot be made outside of the gate, whatever is offered as its key'), async () => {
    const permit = await issuePermit(tool);
    const forge = permit.constructor as new (key: unknown, attempt: PermittedAttempt, expiresAt: number) => Permit;
    for (const key of [undefined, Symbol('permit'), Symbol.for('permit'), 'permit', permit])
      expect(() => new forge(key, permit.attempt, Infinity)).toThrow('A permit is made by openGate alone.');
  });

  it(verifies('PROV-001', 'that was only copied or inherited cannot be spent'), async () => {
    const permit = await issuePermit(tool);
    const inherited = Object.create(permit) as Permit;
    const copied = Object.assign<object, Permit>(Object.create(Object.getPrototypeOf(permit) as object) as object, permit);
    for (const forged of [inherited, copied]) expect(() => forged.use(performance.now())).toThrow(TypeError);
  });

  it(verifies('PROV-001', 'does not come from a fact that no acknowledgement check has seen'), async () => {
    const permit = await issuePermit(tool);
    expect(openGate(undefined, { now: 0, lifetimeMs: 1 })).toEqual({ open: false, reason: 'not_recorded' });
    expect(openGate({ sequence: 2, previousSequence: 1, fact: permit as never }, { now: 0, lifetimeMs: 1 })).toMatchObject({ open: false });
  });
});
