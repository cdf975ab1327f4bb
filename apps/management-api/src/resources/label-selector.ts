import { ProblemError } from '@agentstration/service-kit';
import type { LabelRequirement } from '@agentstration/store';

const key = String.raw`(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?`;
const value = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?`;
const forms = {
  exists: new RegExp(`^(${key})$`),
  doesNotExist: new RegExp(`^! *(${key})$`),
  equality: new RegExp(`^(${key}) *(==|=|!=) *(${value})$`),
  set: new RegExp(`^(${key}) +(in|notin) *\\(([^()]*)\\)$`),
  value: new RegExp(`^${value}$`),
};

const maximumRequirements = 32;

/**
 * Reads a label selector as Kubernetes writes it: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`,
 * joined by commas that all must hold.
 *
 * @throws ProblemError `invalid_parameter` naming the part that cannot be read.
 */
export function parseLabelSelector(text: string | undefined): readonly LabelRequirement[] {
  if (text === undefined || text.trim() === '') return [];
  const parts = splitOutsideParentheses(text);
  if (text.length > 8192 || parts.length > maximumRequirements)
    throw new ProblemError('invalid_parameter', `labelSelector must have at most ${maximumRequirements} requirements in 8192 characters`);
  return parts.map((part, index) => parseRequirement(part.trim(), index));
}

function parseRequirement(part: string, index: number): LabelRequirement {
  const exists = forms.exists.exec(part)?.[1] ?? '';
  if (exists) return { key: exists, operator: 'exists' };
  const absent = forms.doesNotExist.exec(part)?.[1] ?? '';
  if (absent) return { key: absent, operator: 'doesNotExist' };
  const [, equalKey, operator = '', equalTo = ''] = forms.equality.exec(part) ?? [];
  if (equalKey !== undefined) return { key: equalKey, operator: operator === '!=' ? 'notIn' : 'in', values: [equalTo] };
  const [, setKey, membership, list = ''] = forms.set.exec(part) ?? [];
  const values = list.split(',').map((entry) => entry.trim());
  if (setKey !== undefined && values.every((entry) => forms.value.test(entry)))
    return { key: setKey, operator: membership === 'in' ? 'in' : 'notIn', values };
  throw new ProblemError(
    'invalid_parameter',
    `labelSelector: requirement ${index + 1} must have one of the forms a=b, a!=b, a in (b,c), a notin (b,c), a, !a`,
  );
}

function splitOutsideParentheses(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
