import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { validateRunOrder } from './validate-run-order.ts';

const call = { toolId: 't' };
const pointers = (order: unknown): string[] => validateRunOrder(order).map(({ pointer }) => pointer);

describe('the order of a run', () => {
  it.each<[string, unknown]>([
    ['calls of an agent', { agentId: 'a', toolCalls: [call] }],
    ['calls of a named run', { ownerKind: 'RuntimeRun', runId: 'r', agentId: 'a', toolCalls: [call] }],
    ['a run executed elsewhere', { ownerKind: 'FlowRun', runId: 'r' }],
  ])(verifies('RUN-010', 'may be %s'), (_what, order) => expect(pointers(order)).toEqual([]));

  it.each<[string, unknown, string[]]>([
    ['nothing', {}, ['/toolCalls', '/agentId']],
    ['calls of a flow', { ownerKind: 'FlowRun', agentId: 'a', toolCalls: [call] }, ['/ownerKind']],
    ['calls without an agent', { toolCalls: [call] }, ['/agentId']],
    ['elsewhere without an id', { ownerKind: 'RuntimeRun' }, ['/runId']],
    ['calls of a flow without an agent', { ownerKind: 'FlowRun', toolCalls: [call] }, ['/ownerKind', '/agentId']],
    [
      'wrong in its parts and as a whole',
      { x: 1, ownerKind: 'FlowRun', runId: '..', toolCalls: [{ arguments: 1 }] },
      ['/x', '/runId', '/toolCalls/0/toolId', '/toolCalls/0/arguments', '/ownerKind', '/agentId'],
    ],
    ['a list', [], ['']],
    ['null', null, ['']],
  ])(verifies('RUN-010', 'has every fault named at once: %s'), (_what, order, faults) =>
    expect(new Set(pointers(order))).toEqual(new Set(faults)),
  );
});
