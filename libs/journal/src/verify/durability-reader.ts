/** `process`: survives a killed broker process. `power`: every replica fsyncs before it acknowledges. */
export type Durability = 'process' | 'power';

/** The level, and what keeps it from being higher. */
export interface DurabilityReport {
  readonly level: Durability;
  readonly because?: string;
}

/** By the name of each broker that answered, whether it fsyncs first. */
interface Heard {
  readonly syncs: ReadonlyMap<string, boolean>;
  /** Monotonic, in milliseconds. */
  readonly until: number;
}

const requestTimeoutMs = 2000;
/** A broker changes how it syncs only by a restart, which the connection notices; this is for the ones it is not connected to. */
const believedForMs = 30_000;
/** An endpoint that did not answer may soon. */
const silenceBelievedForMs = 5000;

/**
 * Reads from the brokers' monitoring endpoints whether they fsync before they acknowledge. The level of a Journal is the
 * lowest of any broker that holds it, and a broker that nobody heard from has the lowest.
 */
export class DurabilityReader {
  readonly #monitoringUrls: readonly string[];
  #heard: Heard | undefined;

  /** @param monitoringUrls base URLs, one for each broker */
  constructor(monitoringUrls: readonly string[]) {
    this.#monitoringUrls = monitoringUrls;
  }

  /** What was heard before counts no more. */
  forget(): void {
    this.#heard = undefined;
  }

  /** Never rejects. @param holders the names of the brokers that hold the Journal */
  async read(holders: readonly string[]): Promise<DurabilityReport> {
    if (this.#monitoringUrls.length === 0) return { level: 'process', because: 'Nats:MonitoringUrls is empty' };
    if (!this.#heard || performance.now() > this.#heard.until) this.#heard = await this.#ask();
    return judge(holders, this.#heard.syncs);
  }

  async #ask(): Promise<Heard> {
    const answers = await Promise.all(this.#monitoringUrls.map(askServer));
    const heard = answers.filter((answer) => answer !== undefined);
    const believed = heard.length === answers.length ? believedForMs : silenceBelievedForMs;
    return { syncs: new Map(heard), until: performance.now() + believed };
  }
}

function judge(holders: readonly string[], syncs: ReadonlyMap<string, boolean>): DurabilityReport {
  if (holders.length === 0) return { level: 'process', because: 'the broker does not say which servers hold the Journal' };
  const unheard = holders.filter((name) => !syncs.has(name));
  if (unheard.length > 0) return { level: 'process', because: `no endpoint of Nats:MonitoringUrls answered for ${unheard.join(', ')}` };
  const lazy = holders.filter((name) => syncs.get(name) !== true);
  if (lazy.length === 0) return { level: 'power' };
  return {
    level: 'process',
    because: `${lazy.join(', ')} acknowledges before it fsyncs (jetstream { sync_interval: always }, from nats-server 2.10 on)`,
  };
}

interface ServerVariables {
  readonly server_name?: unknown;
  readonly jetstream?: { readonly config?: { readonly sync_always?: unknown } };
}

/** The name of a broker and whether it syncs always; undefined when it does not answer. */
async function askServer(monitoringUrl: string): Promise<[string, boolean] | undefined> {
  try {
    const response = await fetch(`${monitoringUrl.replace(/\/+$/, '')}/varz`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
      redirect: 'error',
    });
    const variables = (await response.json()) as ServerVariables;
    if (!response.ok || typeof variables.server_name !== 'string') return undefined;
    return [variables.server_name, variables.jetstream?.config?.sync_always === true];
  } catch {
    return undefined;
  }
}
