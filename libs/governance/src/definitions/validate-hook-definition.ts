import { type Fault, type HookSelector, type ToolExecutionHookDefinition, compileSchema } from '@agentstration/contracts';
import { handlers } from '../handlers/handlers.ts';
import { type Validated, below, conclude, isRecord, textSchema } from './validated.ts';

const selectorKinds = ['tools', 'providers', 'agents'] as const;

const names = (what: string) =>
  ({
    type: 'array',
    maxItems: 256,
    uniqueItems: true,
    default: [],
    description: `a list of at most 256 whole ${what} ids; empty matches every one`,
    items: textSchema(256),
  }) as const;

/** JSON Schema (2020-12) of the `definition` of a `ToolExecutionHook`; `configuration` is the handler's own. */
export const hookDefinitionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['displayName', 'handler', 'configuration'],
  properties: {
    displayName: textSchema(256),
    enabled: { type: 'boolean', default: true },
    order: { type: 'integer', minimum: -10_000, maximum: 10_000, default: 0, description: 'an integer from -10000 to 10000' },
    handler: { enum: [...handlers.keys()] },
    selector: {
      type: 'object',
      additionalProperties: false,
      properties: { tools: names('tool'), providers: names('provider'), agents: names('agent') },
    },
    configuration: { type: 'object' },
  },
} as const;

const check = compileSchema(hookDefinitionSchema);

/**
 * Judges the `definition` of a `ToolExecutionHook`: every fault at once, or the definition with its defaults. Pure and
 * total. The API asks it before a write, and the executor again before it trusts a row.
 */
export function validateHookDefinition(value: unknown): Validated<ToolExecutionHookDefinition> {
  const faults = [
    ...check(value).filter((fault) => fault.code !== 'uniqueItems'),
    ...(isRecord(value) ? [...repeatedNames(value.selector), ...configurationFaults(value)] : []),
  ];
  return conclude(faults, () => complete(value as Partial<ToolExecutionHookDefinition>));
}

/** JSON Schema names one pair of equal entries; people want to see each. */
function repeatedNames(selector: unknown): Fault[] {
  if (!isRecord(selector)) return [];
  return selectorKinds.flatMap((kind) => {
    const entries = selector[kind];
    if (!Array.isArray(entries)) return [];
    const seen = new Set<unknown>();
    return entries.flatMap((entry, index): Fault[] => {
      if (typeof entry !== 'string' || !seen.has(entry)) return (seen.add(entry), []);
      return [{ pointer: `/selector/${kind}/${index}`, code: 'duplicate', message: 'must not repeat an entry of the list' }];
    });
  });
}

function configurationFaults(definition: Readonly<Record<string, unknown>>): Fault[] {
  const handler = typeof definition.handler === 'string' ? handlers.get(definition.handler) : undefined;
  if (!handler || !isRecord(definition.configuration)) return [];
  return below('/configuration', handler.validateConfiguration(definition.configuration));
}

function complete(sent: Partial<ToolExecutionHookDefinition>): ToolExecutionHookDefinition {
  const selector: Partial<HookSelector> = sent.selector ?? {};
  return {
    displayName: sent.displayName ?? '',
    enabled: sent.enabled ?? true,
    order: sent.order ?? 0,
    handler: sent.handler ?? '',
    selector: { tools: selector.tools ?? [], providers: selector.providers ?? [], agents: selector.agents ?? [] },
    configuration: sent.configuration ?? {},
  };
}
