import { resolve } from 'node:path';
import { isPortFree, lockDirectory, PortInUseError } from '@agentstration/local-servers';
import {
  createLogger,
  createService,
  loadConfiguration,
  readGivenConfiguration,
  type Configuration,
  type PartialConfiguration,
} from '@agentstration/service-kit';
import { rebuildOutdated } from '@agentstration/governance-projector';
import { provision, takeRequests } from '@agentstration/tool-executor';
import { Closing, type Close } from './closing.ts';
import { becomeReady } from './become-ready.ts';
import { defaultProfiles } from './default-profiles.ts';
import { writeHostFile } from './host-file.ts';
import { provisionKnownJournal } from './known-journal.ts';
import { StandaloneModule } from './standalone-module.ts';
import { startInfrastructure } from './start-infrastructure.ts';

/** A host that answers. */
export interface Standalone {
  readonly httpUrl: string;
  readonly natsUrl: string;
  /** Drains the services, then ends the servers of its own. */
  readonly close: Close;
}

interface StandaloneOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Called when a server of its own is gone for good: the host cannot do its work. */
  readonly onLost?: (error: unknown) => void;
}

const name = 'standalone';
const usualHttpPort = 5100;

/**
 * Starts everything in one process: the servers that the configuration does not name, streams, schema and read model, and
 * the three services. Answers when all of it is ready; what was started is ended again when something fails.
 */
export async function startStandalone({
  environment = process.env,
  onLost = () => undefined,
}: StandaloneOptions = {}): Promise<Standalone> {
  const given = readGivenConfiguration({ environment });
  await assertPortIsFree(given);
  const closing = new Closing();
  try {
    const dataDirectory = resolve(given.DataDirectory ?? '.agentstration');
    closing.add(await lockDirectory(dataDirectory));
    const onTrouble = (message: string) => createLogger(name).warn(message);
    const servers = await startInfrastructure({ dataDirectory, given, closing, onTrouble, onLost });
    const defaults = await hostDefaults({ dataDirectory, given, servers });
    const configuration = loadConfiguration({ environment, defaults });
    await provisionHost({ dataDirectory, given, configuration });
    await rebuildOutdated(configuration, onTrouble);
    const httpUrl = await listen(configuration, closing);
    closing.add(await writeHostFile(dataDirectory, configuration));
    return { httpUrl, natsUrl: configuration.Nats.Servers[0] as string, close: () => closing.close() };
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw error;
  }
}

/** A NATS server of somebody else's may be new at any time; the host's own has the Journal of this data. */
async function provisionHost({ dataDirectory, given, configuration }: Omit<Given, 'servers'> & { readonly configuration: Configuration }) {
  if (given.Nats?.Servers !== undefined) return provision(configuration);
  return provisionKnownJournal(dataDirectory, configuration, () => provision(configuration));
}

/** Before anything is started: a port that the user chose is not exchanged for another one. */
async function assertPortIsFree({ Http }: PartialConfiguration): Promise<void> {
  if (Http?.Port && !(await isPortFree(Http.Port))) throw new HttpPortInUse(Http.Port);
}

class HttpPortInUse extends PortInUseError {
  constructor(port: number) {
    super(port, 'The host');
    this.message += ' Set Agentstration__Http__Port to another one, or to 0 for any free one.';
  }
}

interface Given {
  readonly dataDirectory: string;
  readonly given: PartialConfiguration;
  readonly servers: PartialConfiguration;
}

async function hostDefaults({ dataDirectory, given, servers }: Given): Promise<PartialConfiguration> {
  const usualPortIsTaken = given.Http?.Port === undefined && !(await isPortFree(usualHttpPort));
  return {
    ...servers,
    DataDirectory: dataDirectory,
    Http: { Port: usualPortIsTaken ? 0 : usualHttpPort },
    Authentication: { Mode: 'Development' },
    ToolProviders: { Stdio: defaultProfiles(dataDirectory) },
    Logging: { Level: 'warn' },
  };
}

async function listen(configuration: Configuration, closing: Closing): Promise<string> {
  const service = await createService(StandaloneModule.register(configuration), { name, configuration });
  closing.add(() => service.close());
  const { Host, Port } = configuration.Http;
  await service.listen(Port, Host).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new HttpPortInUse(Port) : error;
  });
  await takeRequests(service);
  const httpUrl = (await service.getUrl()).replace('[::1]', 'localhost');
  await becomeReady(httpUrl);
  return httpUrl;
}
