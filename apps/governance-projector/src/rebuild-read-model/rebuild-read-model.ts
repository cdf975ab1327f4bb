import {
  dropGeneration,
  holdProjection,
  listGenerations,
  readModelFormat,
  releaseLease,
  switchGeneration,
} from '@agentstration/store/read-model';
import { type RebuildParts, ShadowGeneration, describeDifferences } from './shadow-generation.ts';

/**
 * Makes the read model anew from the Journal beside the live one, compares both row for row, and switches in one
 * transaction. Differences are told and do not stop the switch: the Journal is right, and a rebuild is how what was
 * wrong is mended. The generation before stays, to go back to.
 */
export async function rebuildReadModel(parts: RebuildParts): Promise<void> {
  const { database, say } = parts;
  await dropLeftovers(parts);
  const shadow = await ShadowGeneration.build(parts);
  await reportComparison(shadow, say);
  await switchTo(shadow, parts);
  await releaseLease(database, { generation: shadow.generation, owner: parts.owner });
  await dropLeftovers(parts);
  const kept = (await listGenerations(database)).find(({ generation }) => generation === shadow.live);
  const use =
    kept?.format === readModelFormat ? '`npm run projector -- back` returns to it' : 'the version of the product that made it reads it';
  say(`generation ${shadow.generation} answers now; generation ${shadow.live} is kept: ${use}`);
}

async function reportComparison(shadow: ShadowGeneration, say: RebuildParts['say']): Promise<void> {
  if (!(await shadow.isComparable())) {
    say('the live generation was made in another format or from another Journal: there is nothing to compare');
    return;
  }
  const { sequence, differences } = await shadow.compare();
  const lines = differences.length === 0 ? [`both generations are equal up to sequence ${sequence}`] : describeDifferences(differences);
  for (const line of lines) say(line);
}

/** The live projection is held, so that no answer goes back in time. */
async function switchTo(shadow: ShadowGeneration, { database }: RebuildParts): Promise<void> {
  const to = { generation: shadow.generation, format: readModelFormat };
  if (!(await shadow.isComparable())) return switchGeneration(database, { ...to, sequence: 0 });
  await holdProjection(database, shadow.live, async ({ sequence }) => {
    await shadow.bringTo(sequence);
    await switchGeneration(database, { ...to, sequence });
  });
}

/** Generations that neither answer nor are kept to go back to: what an interrupted rebuild left, or one before the last. */
export async function dropLeftovers({ database, say }: Pick<RebuildParts, 'database' | 'say'>): Promise<void> {
  for (const { generation, role } of await listGenerations(database)) {
    if (role !== 'other') continue;
    await dropGeneration(database, generation);
    say(`generation ${generation} was dropped`);
  }
}
