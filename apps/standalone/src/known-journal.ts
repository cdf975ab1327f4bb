import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalState } from '@agentstration/journal';
import { StartRefused } from '@agentstration/local-servers';
import { type Configuration, connectNats } from '@agentstration/service-kit';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';

/** Where the host notes which Journal its data belongs to: the creation time of the stream. */
const noteIn = (dataDirectory: string): string => join(dataDirectory, 'journal-created');

/**
 * The Journal is the only audit store, so the host makes one only for new data. A Journal that is gone, or that another
 * one stands for, is refused: an empty one would open the gate again and run open requests a second time.
 *
 * @param provision makes what is missing
 * @throws StartRefused saying what is lost and what to do
 */
export async function provisionKnownJournal(
  dataDirectory: string,
  configuration: Configuration,
  provision: () => Promise<unknown>,
): Promise<void> {
  const known = await readFile(noteIn(dataDirectory), 'utf8').catch(() => undefined);
  if (known !== undefined && (await readCreated(configuration)) !== known) throw new StartRefused(lost(dataDirectory, known));
  await provision();
  const created = await readCreated(configuration);
  if (created !== undefined) await writeFile(noteIn(dataDirectory), created, { mode: 0o600 });
}

const lost = (dataDirectory: string, created: string): string =>
  `The Journal of ${dataDirectory}, made at ${created}, is gone or was replaced, and with it the record of what was called. ` +
  `Restore ${join(dataDirectory, 'nats')} from a backup, or begin anew with another AGENTSTRATION_DATA.`;

/** Undefined when the server answers that there is no Journal; no answer is another fault, which the start reports. */
async function readCreated(configuration: Configuration): Promise<string | undefined> {
  const connection = await connectNats(configuration, { name: 'standalone-journal' });
  try {
    return (await journalState(connection)).created;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof JetStreamApiError && cause.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  } finally {
    await connection.close();
  }
}
