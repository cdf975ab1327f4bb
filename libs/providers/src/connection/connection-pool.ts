import { ProviderFailure } from '../failures/provider-failure.ts';
import type { Settings } from '../options.ts';
import { Backoff } from './backoff.ts';
import type { DepartingTransport } from './departing-transport.ts';
import { ProviderConnection } from './provider-connection.ts';

/** A server, as one Workspace uses it. */
export interface ConnectionTarget {
  /** Workspace, provider, generation, address and credentials: whoever differs in one of them shares nothing. */
  readonly key: string;
  /** Whose share of connections this one takes. */
  readonly workspace: string;
  readonly kind: DepartingTransport['kind'];
  openTransport(): DepartingTransport;
}

interface Slot {
  readonly workspace: string;
  readonly backoff: Backoff;
  connecting?: Promise<ProviderConnection> | undefined;
  connection?: ProviderConnection | undefined;
}

/** A connection that ended within this time and served nothing counts as a failed start. */
const stableMs = 5_000;
const mostSlots = 10_000;

/** At most one connection per target; it is opened once however many calls wait for it, and opened again when it ended. */
export class ConnectionPool {
  readonly #slots = new Map<string, Slot>();
  readonly #open = new Set<ProviderConnection>();
  #closed = false;

  constructor(private readonly settings: Settings) {}

  /** @throws ProviderFailure when there is no connection and none can be opened now */
  async acquire(target: ConnectionTarget): Promise<ProviderConnection> {
    if (this.#closed) throw new ProviderFailure('provider_unavailable', 'The executor is shutting down.');
    const slot = this.#slotOf(target);
    if (slot.connection?.usable) return slot.connection;
    slot.connecting ??= this.#connect(target, slot).finally(() => (slot.connecting = undefined));
    return slot.connecting;
  }

  /** Ends every connection, those included that are being opened. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  #slotOf({ key, workspace }: ConnectionTarget): Slot {
    const known = this.#slots.get(key);
    if (known) return known;
    if (this.#slots.size >= mostSlots) this.#forgetUnused();
    const slot: Slot = { workspace, backoff: new Backoff() };
    this.#slots.set(key, slot);
    return slot;
  }

  async #connect(target: ConnectionTarget, slot: Slot): Promise<ProviderConnection> {
    const blocking = slot.backoff.blocking(this.settings.now());
    if (blocking) throw blocking;
    this.#makeRoom(target.workspace);
    const openedAt = this.settings.now();
    const connection = this.#create(target, (ended) => {
      if (slot.connection === ended) this.#ended(target, slot, openedAt);
    });
    slot.connection = connection;
    try {
      await connection.initialize(this.settings.connectTimeoutMs);
      this.settings.onEvent({ type: 'connection_opened', transport: target.kind });
      return connection;
    } catch (error) {
      const failure =
        error instanceof ProviderFailure ? error : new ProviderFailure('provider_unavailable', 'No session.', { cause: error });
      slot.connection = undefined;
      slot.backoff.failed(failure, this.settings.now());
      this.settings.onEvent({ type: 'connection_failed', transport: target.kind });
      this.settings.logger.warn(
        { workspace: target.workspace, transport: target.kind, code: failure.code },
        'a tool provider cannot be connected',
      );
      throw failure;
    }
  }

  #create(target: ConnectionTarget, onEnd: (connection: ProviderConnection) => void): ProviderConnection {
    const transport = target.openTransport();
    transport.onignored = () => this.settings.onEvent({ type: 'message_ignored', transport: target.kind });
    const connection: ProviderConnection = new ProviderConnection(transport, this.settings.idleTimeoutMs, {
      onEnd: () => onEnd(connection),
      onClosed: () => this.#open.delete(connection),
    });
    this.#open.add(connection);
    return connection;
  }

  #ended(target: ConnectionTarget, slot: Slot, openedAt: number): void {
    const connection = slot.connection;
    slot.connection = undefined;
    if (slot.connecting) return;
    this.settings.onEvent({ type: 'connection_closed', transport: target.kind });
    const now = this.settings.now();
    if (connection?.proven || now - openedAt > stableMs) slot.backoff.succeeded();
    else slot.backoff.failed(new ProviderFailure('provider_unavailable', 'The server ended soon after it was started.'), now);
    if (slot.backoff.clear) this.#slots.delete(target.key);
  }

  /** One Workspace cannot take the executor's sockets and processes from the others. */
  #makeRoom(workspace: string): void {
    const own = [...this.#slots.values()].filter((slot) => slot.workspace === workspace && slot.connection);
    if (own.length < this.settings.maximumConnectionsPerWorkspace) return;
    const idle = own.find((slot) => slot.connection?.usable && slot.connection.idle);
    if (!idle?.connection) throw new ProviderFailure('provider_unavailable', `All ${own.length} connections of the Workspace are in use.`);
    void idle.connection.close();
  }

  #forgetUnused(): void {
    const now = this.settings.now();
    for (const [key, slot] of this.#slots) if (!slot.connection && !slot.connecting && !slot.backoff.blocking(now)) this.#slots.delete(key);
  }
}
