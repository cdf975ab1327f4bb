import type { Fault, HookSelector } from '@agentstration/contracts';
import { isRecord } from './validated.ts';

const form = (what: string): string =>
  `the whole id of a ${what}: letters, digits, ".", "_" and "-", after <namespace>/ unless that is default; there are no patterns`;

/** What ids are made of. Only what is foreign to every id is refused: lengths and places of characters are not looked at. */
const resourceId = /^(?!default\/)[A-Za-z0-9._/-]+$/;
const ids: Readonly<Record<keyof HookSelector, { readonly grammar: RegExp; readonly form: string }>> = {
  tools: { grammar: resourceId, form: form('tool') },
  providers: { grammar: resourceId, form: form('tool provider') },
  agents: { grammar: /^[\x21-\x7E]+$/, form: 'the whole id of an agent: printable ASCII characters without space; there are no patterns' },
};

/**
 * The entries of a hook's selector that no tool, provider or agent can ever be called, such as `crm.*`: their writer
 * believes that something is governed which is not. A row that holds one is valid all the same: it matches nothing.
 */
export function unmatchableNames(definition: unknown): Fault[] {
  const selector = isRecord(definition) ? definition.selector : undefined;
  if (!isRecord(selector)) return [];
  return Object.entries(ids).flatMap(([kind, { grammar, form }]) => {
    const entries: unknown = selector[kind];
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, index): Fault[] =>
      typeof entry !== 'string' || entry.trim() === '' || grammar.test(entry)
        ? []
        : [{ pointer: `/selector/${kind}/${index}`, code: 'cannot_match', message: `must be ${form}` }],
    );
  });
}
