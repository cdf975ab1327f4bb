import 'reflect-metadata';
import { loadConfiguration } from '@agentstration/service-kit';
import { dropGeneration, listGenerations, readModelFormat, requireKnownFormat, switchGeneration } from '@agentstration/store/read-model';
import { Command, InvalidArgumentError } from 'commander';
import { enforceRetention } from './enforce-retention/enforce-retention.ts';
import { retentionDaysOf } from './enforce-retention/retention-schedule.ts';
import { withDatabase, withJournal } from './rebuild-read-model/projector-command.ts';
import { dropLeftovers, rebuildReadModel } from './rebuild-read-model/rebuild-read-model.ts';
import { verifyReadModel } from './rebuild-read-model/verify-read-model.ts';

const program = new Command('projector').description('Commands of an operator on the read model. The projector may go on running.');

program
  .command('rebuild')
  .description('make the read model anew from the Journal beside the live one, compare both, and switch')
  .action(() => withJournal(loadConfiguration(), rebuildReadModel));

program
  .command('verify')
  .description('recompute the read model from the Journal and report any difference')
  .action(async () => {
    if (!(await withJournal(loadConfiguration(), verifyReadModel))) process.exitCode = 1;
  });

program
  .command('back')
  .description('let the generation before the active one answer again; it then catches up')
  .action(() =>
    withDatabase(loadConfiguration(), async (database, say) => {
      const previous = (await listGenerations(database)).find(({ role }) => role === 'previous');
      if (!previous) throw new Error('There is no generation to go back to');
      await switchGeneration(database, { generation: previous.generation, format: readModelFormat, sequence: 0 });
      say(`generation ${previous.generation} answers now, from sequence ${previous.sequence} on`);
    }),
  );

program
  .command('generations')
  .description('list the generations of the read model')
  .action(() =>
    withDatabase(loadConfiguration(), async (database, say) => {
      for (const { generation, role, format, sequence, createdAt } of await listGenerations(database)) {
        say(`${generation}\t${role}\tformat ${format}\tsequence ${sequence}\tmade ${createdAt}`);
      }
    }),
  );

program
  .command('drop')
  .description('remove a generation that does not answer, or what interrupted commands left')
  .argument('[generation]', 'its number', toGeneration)
  .action((generation: number | undefined) =>
    withDatabase(loadConfiguration(), async (database, say) => {
      if (generation === undefined) return dropLeftovers({ database, say });
      await dropGeneration(database, generation);
      say(`generation ${generation} was dropped`);
    }),
  );

program
  .command('retain')
  .description('remove now what the configured retention no longer keeps')
  .action(() => {
    const configuration = loadConfiguration();
    return withDatabase(configuration, async (database, say) => {
      await requireKnownFormat(database);
      const removed = await enforceRetention({ database, days: retentionDaysOf(configuration), now: Date.now() });
      for (const { tenantId, workspaceId, through, messages, records, attempts } of removed) {
        say(`${tenantId}.${workspaceId}: ${messages} messages, ${records} records and ${attempts} attempts up to number ${through}`);
      }
      if (removed.length === 0) say('nothing is old enough');
    });
  });

function toGeneration(text: string): number {
  const generation = Number(text);
  if (!Number.isSafeInteger(generation) || generation < 1) throw new InvalidArgumentError('It must be the number of a generation.');
  return generation;
}

/** Runs the command that the process was started with; a failure is one line on standard error and exit code 1. */
export async function runOperatorCommand(): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'an unknown error'}\n`);
    process.exitCode = 1;
  }
}
