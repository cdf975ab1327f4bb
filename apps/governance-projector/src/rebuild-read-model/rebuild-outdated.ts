import type { Configuration } from '@agentstration/service-kit';
import { listGenerations, readModelFormat } from '@agentstration/store/read-model';
import { withDatabase, withJournal } from './projector-command.ts';
import { rebuildReadModel } from './rebuild-read-model.ts';

/**
 * Makes the read model anew from the Journal where another version of the product made it in another format. A host that
 * starts alone asks for it: nobody could give it the command before it is ready. Tells its steps to `say`.
 */
export async function rebuildOutdated(configuration: Configuration, say: (line: string) => void): Promise<void> {
  const active = await withDatabase(configuration, async (database) =>
    (await listGenerations(database)).find(({ role }) => role === 'active'),
  );
  if (active === undefined || active.format === readModelFormat) return;
  say(`the read model is of format ${active.format}, this version writes ${readModelFormat}: it is made anew from the Journal`);
  await withJournal(configuration, (parts) => rebuildReadModel({ ...parts, say }));
}
