import { type Fault, compileSchema } from '@agentstration/contracts';
import { runOrderSchema } from './run-order-schema.ts';

const check = compileSchema(runOrderSchema);

/** Every fault of the body of `POST /api/runs` at once: of each property, and of what they say together. */
export const validateRunOrder = (document: unknown): Fault[] => [...check(document), ...contradictions(document)];

/** What each property alone cannot say. */
function contradictions(document: unknown): Fault[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return [];
  const order = document as Readonly<Record<string, unknown>>;
  const given = (property: string): boolean => order[property] !== undefined;
  const faults: Fault[] = [];
  const fault = (property: string, code: string, message: string) => void faults.push({ pointer: `/${property}`, code, message });
  const elsewhere = given('ownerKind') && !given('toolCalls');
  if (!given('toolCalls') && !elsewhere)
    fault('toolCalls', 'required', 'is required, unless ownerKind registers a run that is executed elsewhere');
  if (given('toolCalls') && order.ownerKind === 'FlowRun')
    fault('ownerKind', 'not_allowed', 'must be RuntimeRun or absent: a manual run is a RuntimeRun');
  if (!elsewhere && !given('agentId'))
    fault('agentId', 'required', 'is required: a call without an agent could slip past an agent selector');
  if (elsewhere && !given('runId')) fault('runId', 'required', 'is required: a run that is executed elsewhere has its id already');
  return faults;
}
