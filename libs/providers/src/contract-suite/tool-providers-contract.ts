import type { ConfiguredProvider, ProviderCall, ProviderOutcome, ToolDiscovery, ToolProviders } from '@agentstration/governance';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issuePermit } from './issue-permit.ts';

/** One adapter with one provider, whose tools behave as their names say (see `test/support/mcp/tools.mjs`). */
export interface ProvidersUnderTest {
  readonly providers: ToolProviders & ToolDiscovery & { close(): Promise<void> };
  readonly provider: ConfiguredProvider;
  /** The invocation ids that were really executed, in order: told by the provider's side. */
  executed(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

/** Largest result of the adapter under test, in bytes. */
export const contractResultLimit = 64 * 1024;

/** The tests that every adapter of {@link ToolProviders} must pass, the fake included. */
export function toolProvidersContract(name: string, start: () => Promise<ProvidersUnderTest>): void {
  describe(`tool providers: ${name}`, () => {
    let under: ProvidersUnderTest;
    beforeEach(async () => {
      under = await start();
    });
    afterEach(() => under.dispose());

    const callOf = (externalToolId: string, more: Partial<ProviderCall> = {}): ProviderCall => ({
      provider: under.provider,
      externalToolId,
      arguments: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      ...more,
    });
    const permitFor = (externalToolId: string, lifetimeMs = 60_000) =>
      issuePermit({ providerId: under.provider.providerId, externalToolId, lifetimeMs });
    const call = async (externalToolId: string, more: Partial<ProviderCall> = {}): Promise<ProviderOutcome> =>
      under.providers.call(await permitFor(externalToolId), callOf(externalToolId, more));

    it(verifies(['PROV-003', 'PROV-002'], 'passes arguments and result through, once, under the attempt of the permit'), async () => {
      const permit = await permitFor('ok');
      const outcome = await under.providers.call(permit, callOf('ok', { arguments: { message: 'hello' } }));
      expect(outcome).toMatchObject({ kind: 'answered', isError: false, result: { structuredContent: { message: 'hello' } } });
      expect(await under.executed()).toEqual([permit.attempt.invocationId]);
    });

    it(verifies('PROV-003', 'takes the tool’s own error as an answer'), async () => {
      expect(await call('is-error')).toMatchObject({ kind: 'answered', isError: true, result: { isError: true } });
    });

    it(verifies('PROV-004', 'takes a JSON-RPC error as a refusal, without its text'), async () => {
      expect(await call('protocol-error')).toEqual({ kind: 'refused', code: 'provider_error' });
    });

    it(verifies('PROV-010', 'refuses a result above the limit, and goes on'), async () => {
      const outcome = await call('big', { arguments: { bytes: contractResultLimit + 1 } });
      expect(outcome).toEqual({ kind: 'refused', code: 'provider_result_too_large' });
      expect(await call('ok')).toMatchObject({ kind: 'answered' });
    });

    it(verifies('PROV-002', 'sends nothing under a permit that is too old'), async () => {
      const outcome = await under.providers.call(await permitFor('ok', 0), callOf('ok'));
      expect(outcome).toEqual({ kind: 'not_sent', code: 'permit_expired' });
      expect(await under.executed()).toEqual([]);
    });

    it(verifies('PROV-002', 'sends nothing under a permit that was used, however many try at once'), async () => {
      const permit = await permitFor('ok');
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => under.providers.call(permit, callOf('ok'))));
      expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'not_sent')).toHaveLength(3);
      expect(await under.executed()).toHaveLength(1);
    });

    it(verifies('PROV-002', 'sends nothing under a permit for another tool or provider'), async () => {
      const otherTool = await under.providers.call(await permitFor('is-error'), callOf('ok'));
      const otherProvider = await under.providers.call(await issuePermit({ providerId: 'another', externalToolId: 'ok' }), callOf('ok'));
      expect([otherTool, otherProvider]).toEqual(Array(2).fill({ kind: 'not_sent', code: 'provider_not_permitted' }));
      expect(await under.executed()).toEqual([]);
    });

    it(verifies('PROV-005', 'knows nothing of a call that was sent and did not end in time'), async () => {
      await under.providers.prepare(under.provider);
      const startedAt = performance.now();
      expect(await call('hang', { timeoutMs: 500 })).toEqual({ kind: 'unknown', code: 'provider_timeout' });
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      expect(await under.executed()).toHaveLength(1);
    });

    it(verifies('PROV-005', 'sends nothing of a call that was cancelled before'), async () => {
      expect(await call('ok', { signal: AbortSignal.abort() })).toEqual({ kind: 'not_sent', code: 'cancelled' });
      expect(await under.executed()).toEqual([]);
    });

    it(verifies('PROV-005', 'knows nothing of a call that was cancelled after it was sent'), async () => {
      const controller = new AbortController();
      const outcome = call('hang', { signal: controller.signal });
      await eventually(async () => expect(await under.executed()).toHaveLength(1));
      controller.abort();
      expect(await outcome).toEqual({ kind: 'unknown', code: 'cancelled' });
    });

    it(verifies('PROV-031', 'connects ahead without calling, and without complaint about what is not there'), async () => {
      await under.providers.prepare(under.provider);
      await under.providers.prepare({ ...under.provider, definition: notThere });
      expect(await under.executed()).toEqual([]);
    });

    it(verifies('PROV-027', 'discovers the tools'), async () => {
      const tools = await under.providers.discover(under.provider);
      expect(tools.map(({ externalName }) => externalName)).toEqual(expect.arrayContaining(['ok', 'hang', 'is-error']));
    });

    it(verifies('PROV-030', 'knows nothing of a call that is under way when it is closed'), async () => {
      const outcome = call('hang');
      await eventually(async () => expect(await under.executed()).toHaveLength(1));
      await under.providers.close();
      expect(await outcome).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    });

    it(verifies('PROV-030', 'sends nothing once it is closed'), async () => {
      await call('ok');
      await under.providers.close();
      expect(await call('ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
      await expect(under.providers.discover(under.provider)).rejects.toMatchObject({ name: 'DiscoveryFailed' });
      expect(await under.executed()).toHaveLength(1);
    });
  });
}

const notThere = {
  displayName: 'Not there',
  enabled: true,
  providerType: 'mcp',
  mcp: { transport: 'stdio', profile: 'not-there' },
} as const;
