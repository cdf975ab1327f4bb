import type { Statement } from '../connection/scoped-query.ts';
import { resourceColumns } from './resource-row.ts';
import type { LabelRequirement, ResourceQuery } from './resource-store.ts';

/**
 * One page by keyset, with one row more than asked for. The text depends on the form of the query alone, never on its
 * values, so that its name can be the form.
 */
export function listStatement(query: ResourceQuery): Statement {
  const values: unknown[] = [query.tenantId, query.workspaceId, query.kind];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['r.tenant_id = $1', 'r.workspace_id = $2', 'r.kind = $3', 'r.deleted_at IS NULL'];
  if (query.namespace !== undefined) conditions.push(`r.namespace = ${parameter(query.namespace)}`);
  if (query.after) conditions.push(`(r.namespace, r.name) > (${parameter(query.after.namespace)}, ${parameter(query.after.name)})`);
  conditions.push(...(query.labels ?? []).map((requirement) => labelCondition(requirement, parameter)));
  const text = `SELECT ${resourceColumns} FROM agentstration.resources r WHERE ${conditions.join(' AND ')}
    ORDER BY r.namespace, r.name LIMIT ${parameter(query.limit + 1)}`;
  return { name: nameOf(query), text, values };
}

/** As in Kubernetes, `notIn` holds for a resource without the label. */
function labelCondition(requirement: LabelRequirement, parameter: (value: unknown) => string): string {
  const key = `${parameter(requirement.key)}::text`;
  switch (requirement.operator) {
    case 'in':
      return `r.labels ->> ${key} = ANY (${parameter(requirement.values)}::text[])`;
    case 'notIn':
      return `coalesce(r.labels ->> ${key} <> ALL (${parameter(requirement.values)}::text[]), true)`;
    case 'exists':
      return `r.labels ? ${key}`;
    case 'doesNotExist':
      return `NOT r.labels ? ${key}`;
  }
}

/** A selector of many requirements is rare: it is not worth a prepared statement for each of its forms. */
const maximumNamedRequirements = 2;

const nameOf = ({ namespace, after, labels = [] }: ResourceQuery): string =>
  labels.length > maximumNamedRequirements
    ? ''
    : ['list_resources', namespace === undefined ? 'all' : 'one', after ? 'next' : 'first', ...labels.map(({ operator }) => operator)].join(
        '_',
      );
