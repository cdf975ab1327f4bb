import { dropGeneration, requireKnownFormat } from '@agentstration/store/read-model';
import { type RebuildParts, ShadowGeneration, describeDifferences } from './shadow-generation.ts';

/** Recomputes the read model from the Journal and compares every row. Answers whether they are equal. */
export async function verifyReadModel(parts: RebuildParts): Promise<boolean> {
  await requireKnownFormat(parts.database);
  const shadow = await ShadowGeneration.build(parts);
  try {
    if (!(await shadow.isComparable())) throw new Error('The read model was made from another Journal than the one that is there now');
    const { sequence, differences } = await shadow.compare();
    if (differences.length === 0) parts.say(`read model equals the journal up to sequence ${sequence}`);
    else
      for (const line of [`read model DIFFERS from the journal up to sequence ${sequence}`, ...describeDifferences(differences)])
        parts.say(line);
    return differences.length === 0;
  } finally {
    await dropGeneration(parts.database, shadow.generation);
  }
}
