import { type Fault, compileSchema } from '@agentstration/contracts';
import { configurationSchema } from './configuration.ts';
import type { ConfigurationFault } from './configuration-error.ts';
import { faultAt } from './configuration-key.ts';
import { type KeyPath, describeAllowed, mapEntry, nodeAt } from './schema-node.ts';
import { describeUnknown } from './suggest-key.ts';

const validate = compileSchema(configurationSchema);

/** Every place where the tree is not what the schema allows, one fault a place. `partial`: nothing is required. */
export function validateTree(tree: unknown, { partial = false } = {}): ConfigurationFault[] {
  const faults = new Map<string, ConfigurationFault>();
  for (const fault of validate(tree)) {
    if (partial && fault.code === 'required') continue;
    const explained = explain(fault);
    if (!faults.has(explained.key)) faults.set(explained.key, explained);
  }
  return [...faults.values()];
}

function explain({ pointer, code }: Fault): ConfigurationFault {
  const path = parsePointer(pointer);
  const node = nodeAt(path);
  if (code === 'unknown_property') return faultAt(path, explainUnknown(path));
  const allowed = node ? describeAllowed(node) : 'something else';
  return faultAt(path, code === 'required' ? `is required: ${allowed}` : `must be ${allowed}`);
}

function explainUnknown(path: KeyPath): string {
  const parent = nodeAt(path.slice(0, -1));
  const map = parent && mapEntry(parent);
  return map ? `is not a legal name: it must match ${map.pattern}` : describeUnknown(path);
}

const parsePointer = (pointer: string): KeyPath =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
