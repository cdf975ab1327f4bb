import type { Scope } from '@agentstration/contracts';
import { type ConfiguredProvider, decodeFact } from '@agentstration/governance';
import type { ExecutorParts } from '@agentstration/tool-executor/testing';
import { entryOf, nameOf, scopes } from './scopes.ts';
import { withAppend } from './with-append.ts';

type Journal = ExecutorParts['journal'];
type Append = Parameters<Journal['append']>[0];
type Outcome = Awaited<ReturnType<Journal['append']>>;

const isGovernance = ({ payload }: Append): boolean => decodeFact(payload)?.type.includes('Governance') === true;
const isTerminal = ({ payload }: Append): boolean => /Completed|Failed/.test(decodeFact(payload)?.type ?? '');
const asGood = (sequence: number): Outcome => ({
  kind: 'acknowledged',
  acknowledgement: { stream: 'AGENTSTRATION_JOURNAL', sequence, duplicate: false, floor: 0 },
});

/** A journal whose appends go through `append`, which may lie about them. */
const lying = (
  { journal }: ExecutorParts,
  append: (given: Append, send: (sent: Append) => Promise<Outcome>) => Promise<Outcome>,
): Journal => withAppend(journal, (given) => append(given, (sent) => journal.append(sent)));

const fakeSequence = 1_000_000_000;

/** The next Workspace of the rig, whose providers have the same names. */
const neighbours: Readonly<Record<string, Scope>> = Object.fromEntries(
  scopes.map((scope, index) => [nameOf(scope), scopes[(index + 1) % scopes.length] as Scope]),
);

/** A provider of the same name and transport, with the address and the credentials of a neighbour. */
const ofNeighbour = (provider: ConfiguredProvider): ConfiguredProvider => {
  const scope = neighbours[nameOf(provider.scope)] ?? provider.scope;
  const { definition } = provider;
  const given = JSON.stringify(definition).replaceAll(entryOf(provider.scope), entryOf(scope));
  return { ...provider, scope, definition: JSON.parse(given) as typeof definition };
};

/** Deliberate bugs, as wrappers over the executor's ports: the rig must catch each, and the simulation what it can see of them. */
export const bugs: Readonly<Record<string, (parts: ExecutorParts) => ExecutorParts>> = {
  call_before_acknowledgement: (parts) => ({
    ...parts,
    journal: lying(parts, (given, send) => {
      if (!isGovernance(given)) return send(given);
      void send(given);
      return Promise.resolve(asGood(fakeSequence));
    }),
  }),
  accept_sequence_0: (parts) => ({
    ...parts,
    journal: lying(parts, async (given, send) => {
      const outcome = await send(given);
      return outcome.kind === 'acknowledged' && outcome.acknowledgement.sequence === 0 ? asGood(fakeSequence) : outcome;
    }),
  }),
  accept_duplicate: (parts) => ({
    ...parts,
    journal: lying(parts, async (given, send) => {
      const outcome = await send(given);
      return outcome.kind === 'acknowledged' && outcome.acknowledgement.duplicate ? asGood(fakeSequence) : outcome;
    }),
  }),
  take_time_out_for_yes: (parts) => ({
    ...parts,
    journal: lying(parts, async (given, send) => {
      const outcome = await send(given);
      return outcome.kind === 'unknown' ? asGood(fakeSequence) : outcome;
    }),
  }),
  accept_recreated: (parts) => ({
    ...parts,
    journal: lying(parts, async (given, send) => {
      const outcome = await send(given);
      if (outcome.kind !== 'acknowledged') return outcome;
      return { ...outcome, acknowledgement: { ...outcome.acknowledgement, floor: 0 } };
    }),
  }),
  acknowledge_before_terminal: (parts) => ({
    ...parts,
    journal: lying(parts, (given, send) => {
      if (!isTerminal(given)) return send(given);
      void send(given);
      return Promise.resolve(asGood(fakeSequence));
    }),
  }),
  ignore_fence: (parts) => ({
    ...parts,
    journal: lying(parts, async (given, send) => {
      const last = await parts.journal.readLast(given.subject);
      return send({ ...given, expectedLastSequence: last?.sequence ?? 0 });
    }),
  }),
  foreign_workspace: (parts) => ({
    ...parts,
    providers: {
      prepare: (provider) => parts.providers.prepare(ofNeighbour(provider)),
      call: (permit, call) => parts.providers.call(permit, { ...call, provider: ofNeighbour(call.provider) }),
    },
  }),
  swallow_hook_error: (parts) => ({
    ...parts,
    hookTimeLimit: async (work) => {
      const limited = await parts.hookTimeLimit(work);
      return limited.kind === 'threw' ? { kind: 'done', value: { decision: 'Allowed' } as never } : limited;
    },
  }),
};
