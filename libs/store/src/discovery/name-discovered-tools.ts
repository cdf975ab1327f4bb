import { createHash } from 'node:crypto';
import { matches } from '@agentstration/contracts';

/** A name for each tool that gets one; `refused` lists external names whose collision remains. */
export interface DiscoveredNames {
  /** External name -> resource name. */
  readonly names: ReadonlyMap<string, string>;
  readonly refused: readonly string[];
}

export interface OfferedTools {
  readonly providerName: string;
  /** What the provider calls its tools, in any order. */
  readonly externalNames: Iterable<string>;
  /** External name -> resource name of the Tools that the provider has already, those that vanished included. They keep theirs. */
  readonly existing?: ReadonlyMap<string, string>;
}

/**
 * Names a provider's tools: `<provider>.<external name>` where that is legal and free; otherwise illegal characters become
 * `-`, and `-` and the first 8 hex digits of the external name's SHA-256 follow. No two external names share a name, an
 * existing Tool keeps its own, and the order in which a provider lists its tools changes nothing. Pure.
 */
export function nameDiscoveredTools({ providerName, externalNames, existing = new Map() }: OfferedTools): DiscoveredNames {
  const names = new Map<string, string>();
  const taken = new Set(existing.values());
  const refused: string[] = [];
  const candidates = [plainName, hashedName];
  let waiting = [...new Set(externalNames)].sort(byCodeUnit);
  for (const externalName of waiting) {
    const known = existing.get(externalName);
    if (known !== undefined) names.set(externalName, known);
  }
  waiting = waiting.filter((externalName) => !names.has(externalName));
  // Every plain name is given before the first hashed one: a hash must not take a name that belongs to somebody.
  for (const nameOf of candidates) {
    waiting = waiting.filter((externalName) => {
      const name = nameOf(providerName, externalName);
      if (name === undefined || taken.has(name)) return true;
      names.set(externalName, name);
      taken.add(name);
      return false;
    });
  }
  refused.push(...waiting);
  return { names, refused };
}

const maximumLength = 253;

function plainName(providerName: string, externalName: string): string | undefined {
  const name = `${providerName}.${externalName}`;
  return matches('resourceName', name) ? name : undefined;
}

function hashedName(providerName: string, externalName: string): string {
  const suffix = `-${createHash('sha256').update(externalName, 'utf8').digest('hex').slice(0, 8)}`;
  const legal = `${providerName}.${externalName}`.replaceAll(/[^A-Za-z0-9._-]/gu, '-');
  return legal.slice(0, maximumLength - suffix.length) + suffix;
}

const byCodeUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
