import { isNativeError } from 'node:util/types';
import { StoreUnavailable } from './store-unavailable.ts';

/**
 * The database refused a statement: a mistake of the program or of its installation. Holds neither the statement nor its
 * values, which the driver's own error would carry into a log.
 */
export class StoreFailure extends Error {
  constructor(
    /** SQLSTATE (PostgreSQL, appendix A). */
    readonly code: string,
    readonly constraint?: string,
  ) {
    super(`The database refused a statement (${code}${constraint === undefined ? '' : `, ${constraint}`})`);
    this.name = 'StoreFailure';
  }
}

/** SQLSTATE classes and codes that pass by themselves, or that an operator heals without a new build. */
const passing = [
  /^08/, // connection exceptions
  /^28/, // the user or its password
  /^53/, // out of connections, memory or disk
  /^57/, // shutdown, cancelled by a time limit
  /^58/, // the system below the database
  /^(40001|40P01|55P03|25P0[234]|25006|25P01)$/, // conflict, lock and idle limits, a standby
  /^(3D000|3F000|42P01|42883)$/, // the schema is not there yet
];
const systemError = /^(E[A-Z]+|ERR_[A-Z_]+)$/;

interface DriverError extends Error {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly driverError?: unknown;
}

/**
 * What a database error means to a caller: {@link StoreUnavailable}, {@link StoreFailure}, or the error itself when it is
 * none of the database's.
 */
export function toStoreError(error: unknown): unknown {
  // Not `instanceof`: a system error may come from another realm, as it does below Jest.
  if (!isNativeError(error)) return error;
  const { driverError } = error as DriverError;
  if (driverError !== undefined) return toStoreError(driverError);
  const { code, constraint } = error as DriverError;
  if (isConnectionLoss(error)) return new StoreUnavailable('connection_lost', 'the connection was lost');
  if (typeof code !== 'string') return error;
  if (systemError.test(code)) return new StoreUnavailable(code, 'it cannot be reached');
  if (passing.some((pattern) => pattern.test(code))) return new StoreUnavailable(code, reasonOf(code));
  return isSqlState(code) ? new StoreFailure(code, typeof constraint === 'string' ? constraint : undefined) : error;
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);

/** The driver and TypeORM report these by text or name alone. */
const lossByText =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after|Driver not Connected)/;
const lossByName = /^(QueryRunner(Provider)?AlreadyReleasedError|CannotExecuteNotConnectedError|ConnectionIsNotSetError)$/;
const isConnectionLoss = ({ message, name }: Error): boolean => lossByText.test(message) || lossByName.test(name);

function reasonOf(code: string): string {
  if (code.startsWith('28')) return 'it refuses the user or its password';
  if (['3D000', '3F000', '42P01', '42883'].includes(code)) return 'its schema is missing: run the migrations';
  if (code === '57014' || code === '55P03') return 'it is too slow';
  if (code === '53100') return 'its disk is full: make room, it goes on by itself';
  if (code === '53300') return 'it has no connection left: raise its max_connections, or lower Database:MaximumConnections';
  return 'it does not serve';
}
