import pg from 'pg'
import { storePlace } from '../../lib/protocol/store-place'
import { createTurns } from '../runtime/in-turn'
import { codeOf } from '../runtime/sqlite-errors'
import { connectionError, StoreAwayError } from './store-away'

/** A statement that takes longer is ended by the server, and the connection is given up a little later. */
const STATEMENT_TIMEOUT_MS = 5000
const ANSWER_TIMEOUT_MS = 6000
const LOCK_TIMEOUT_MS = 2000
const CONNECT_TIMEOUT_MS = 2000

/**
 * The URL with `sslmode` as libpq reads it: `require` encrypts, `verify-ca` also checks who signed the certificate, and
 * `verify-full` the name of the server. By default pg takes all of them for `verify-full`, and warns that this will change.
 */
const withLibpqModes = (url: string): string =>
  new URL(url).searchParams.has('sslmode') ? `${url}&uselibpqcompat=true` : url

/** Numbers are below 2^53, so they need no text. Bytes come as bytes: `binary: true` of pg would decode them as text. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format === 'binary') throw new TypeError('answers are read as text')
    if (oid === pg.types.builtins.INT8) return Number
    const parse = pg.types.getTypeParser(oid, 'text')
    return oid === INT8_ARRAY ? (text: string) => (parse(text) as readonly string[]).map(Number) : parse
  },
}
const INT8_ARRAY = 1016

export type Query = <Row extends object>(query: pg.QueryConfig) => Promise<readonly Row[]>

/** One connection, made when it is needed, and made again after it was lost. Queries run one after the other. */
export class StoreConnection {
  readonly place: string
  /** Since the start. `failed`: attempts to connect that failed, and connections that were lost. */
  readonly counts = { opened: 0, failed: 0 }
  readonly #config: pg.ClientConfig
  #client: Promise<pg.Client> | null = null
  #current: pg.Client | null = null
  /** The client while it is connected: its loss counts once. */
  #open: pg.Client | null = null
  #isClosed = false
  /** One query after the other. */
  readonly #inTurn = createTurns()

  constructor(url: string) {
    this.place = storePlace(url)
    this.#config = {
      connectionString: withLibpqModes(url),
      application_name: 'waystation',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      types,
    }
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws StoreAwayError when the answer is unknown, because the connection is or was lost; an error of the server otherwise */
  query<Row extends object>(query: pg.QueryConfig): Promise<readonly Row[]> {
    return this.#inTurn(async () => this.#run<Row>(await this.#connected(), query))
  }

  /**
   * Connects, unless it is connected.
   * @returns how many connections were opened: after another one, the database may be a restored copy. @throws StoreAwayError
   */
  opened(): Promise<number> {
    return this.#inTurn(async () => {
      await this.#connected()
      return this.counts.opened
    })
  }

  /** Reads in one snapshot, and writes nothing. Other queries wait. @throws as `query` */
  snapshot<Value>(read: (query: Query) => Promise<Value>): Promise<Value> {
    return this.#inTurn(async () => {
      const client = await this.#connected()
      let last: Promise<unknown> = Promise.resolve()
      const query: Query = <Row extends object>(given: pg.QueryConfig) => {
        const rows = last.then(() => this.#run<Row>(client, given))
        last = rows.catch(() => undefined)
        return rows
      }
      await query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' })
      try {
        return await read(query)
      } finally {
        // A connection that was lost has ended its transaction.
        await query({ text: 'COMMIT' }).catch(() => this.#drop(client))
      }
    })
  }

  async #run<Row extends object>(client: pg.Client, query: pg.QueryConfig): Promise<readonly Row[]> {
    try {
      const { rows } = await client.query<Row>(query)
      return rows
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (isLoss(error)) this.#drop(client)
      else if (!lacksSpace(error)) throw error
      throw new StoreAwayError(this.place, error.message)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => null)
    await client?.end().catch(() => undefined)
  }

  async #connected(): Promise<pg.Client> {
    if (this.#isClosed) throw new StoreAwayError(this.place, 'the connection was closed')
    this.#client ??= this.#connect()
    return this.#client
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    this.#current = client
    // Without a listener a lost connection would end the process. The query that runs, or the next one, reports it.
    client.on('error', () => this.#drop(client))
    try {
      await client.connect()
      this.counts.opened += 1
      this.#open = client
      return client
    } catch (error) {
      this.counts.failed += 1
      this.#client = null
      client.end().catch(() => undefined)
      throw connectionError(this.place, error)
    }
  }

  #drop(client: pg.Client): void {
    if (this.#current === client) this.#client = null
    if (this.#open === client && !this.#isClosed) this.counts.failed += 1
    if (this.#open === client) this.#open = null
    // A peer that does not answer would keep a polite end waiting.
    client.connection.stream.destroy()
    client.end().catch(() => undefined)
  }
}

/** A standby: the address may lead to the primary once it is promoted. */
const READ_ONLY = '25006'

/** Shutdowns and lost connections; errors without an SQLSTATE come from the socket, or from a time limit of the driver. */
function isLoss(error: Error): boolean {
  const code = codeOf(error)
  if (code === null || !/^[0-9A-Z]{5}$/.test(code)) return true
  return code.startsWith('08') || code.startsWith('57P') || code === READ_ONLY
}

/** A full disk, or no memory: nothing was written, and the same statement may succeed later. */
const lacksSpace = (error: Error): boolean => codeOf(error)?.startsWith('53') ?? false
