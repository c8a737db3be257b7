import { codeOf } from '../runtime/sqlite-errors'
import { STORE_AWAY } from '../spool/lanes'

/** The method of the store's thread that answers whether the first try has opened the store. */
export const FIRST_TRY = 'firstTry'
/** The news of that thread that the store is open. */
export const OPEN = 'open'

/** PostgreSQL cannot be reached, or ended the connection. Errors cross threads by their name. */
export class StoreAwayError extends Error {
  static readonly NAME = STORE_AWAY
  /** Whether it may be back by itself; not after a wrong password, a database that does not exist, or a refused certificate. */
  readonly isPassing: boolean

  /** @param place host, port and database; never the user or the password */
  constructor(place: string, why: string, isPassing = true) {
    super(`PostgreSQL at ${place} ${isPassing ? 'is away' : 'refuses the connection'}: ${why}`)
    this.name = StoreAwayError.NAME
    this.isPassing = isPassing
  }
}

/** A connection could not be made. @param error of the driver */
export function connectionError(place: string, error: unknown): StoreAwayError {
  const message = error instanceof Error ? error.message : String(error)
  // The error of a name with several addresses has only a code.
  const why = message === '' ? (codeOf(error) ?? 'it could not be reached') : message
  return new StoreAwayError(place, why, isPassing(codeOf(error), message))
}

/** The server starts, stops or has no free connection; or the network does not lead to it. */
function isPassing(code: string | null, message: string): boolean {
  if (code === null) return PASSING_MESSAGE.test(message)
  return PASSING_NETWORK.has(code) || code === TOO_MANY_CONNECTIONS || /^(?:08|57P)...?$/.test(code)
}

const TOO_MANY_CONNECTIONS = '53300'
/** Time limits of the driver, and a server that closes the connection, have no code. */
const PASSING_MESSAGE = /timeout|terminated/i
const PASSING_NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // A Unix socket exists while its server runs.
  'ENOENT',
])
