import { toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { ExecutorRig, catalogueEntry, localHook, request } from '@agentstration/test/executor-rig';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { attemptBytes } from './attempt-bytes.ts';

const maximumArgumentsLength = 16_384;
/** Doubled by JSON. */
const longest = (length: number): string => '"'.repeat(length);

describe('the bytes of an attempt', () => {
  it.each([
    ['doubled by JSON', '"'],
    ['of three bytes', '\u20ac'],
    ['of four bytes', '\u{1F600}'],
  ])(verifies('JVER-005', 'are no more than what is set aside: arguments of characters %s'), async (_which, character) => {
    const hooks = Array.from({ length: 64 }, (_, index) =>
      localHook(
        `${index}${longest(126)}`,
        index < 63 ? { decision: 'Allowed' } : { decision: 'Denied', code: 'c'.repeat(128), message: 'no' },
      ),
    );
    const rig = new ExecutorRig({ hooks, settings: { persistArguments: true, maximumArgumentsLength } });
    const id = longest(128);
    const entry = catalogueEntry();
    rig.store.putTool({
      ...entry,
      toolName: 'n'.repeat(382),
      externalToolId: longest(128),
      provider: { ...entry.provider, providerId: 'p'.repeat(192) },
    });
    const asked = request({
      ...{ toolCallId: id, requestId: id, agentId: longest(256), agentRevisionId: id, principalId: id, correlationId: id },
      ...{ run: { ownerKind: 'RuntimeRun', runId: id }, arguments: { text: character.repeat(maximumArgumentsLength) } },
    });
    await rig.deliver({ request: asked, requestId: id });
    expect(rig.story).toMatch(/^Started Governance Failed:c+$/);
    const subject = toolCallJournalSubject({ tenantId: 't'.repeat(64), workspaceId: 'w'.repeat(64), ...asked.run, toolCallId: id });
    const sizes = rig.facts.map((fact) => encodeFact(fact).length + subject.length + 256);
    // The end of an attempt that another executor left open is the size of this one's.
    const all = [...sizes, sizes.at(-1) ?? 0].reduce((sum, size) => sum + size, 0);
    expect(all).toBeLessThan(attemptBytes(maximumArgumentsLength));
  });
});
