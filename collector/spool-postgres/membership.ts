import { createTurns } from '../runtime/in-turn'
import type { StoreConnection } from './connection'

interface Options {
  /** The name of this start of the collector: no other one has it. */
  readonly name: string
  /** Among which it divides pending records of an upstream. */
  readonly lanes: number
}

/**
 * One collector in the shared record. After a lost connection the database may be another one: a restored copy, or a
 * server that took over without the newest batches. There its numbers are of other records, and the collector may be
 * unknown. So it registers again, and gives back its lanes, whose next tokens are new: results of posts that began
 * before are refused, and deliveries begin again.
 */
export class Membership {
  readonly #options: Options
  #id: number
  /** Id of the newest batch that this collector committed to this database. */
  #last: string | null = null
  /** Of each connection, how often it was opened when the database was last recognised. */
  readonly #recognised = new WeakMap<StoreConnection, number>()
  readonly #inTurn = createTurns()

  private constructor(options: Options, id: number) {
    this.#options = options
    this.#id = id
  }

  static async join(connection: StoreConnection, options: Options): Promise<Membership> {
    return new Membership(options, await register(connection, options))
  }

  /** In the store. Another one after it registered again. */
  get id(): number {
    return this.#id
  }

  committed(batch: string): void {
    this.#last = batch
  }

  /**
   * Recognises the database after the connection was opened. Call it before each write that depends on earlier ones.
   * @throws StoreAwayError
   */
  async check(connection: StoreConnection): Promise<void> {
    const opened = await connection.opened()
    if (this.#recognised.get(connection) === opened) return
    await this.#inTurn(async () => {
      if (!(await this.#isKnown(connection))) await this.#rejoin(connection)
    })
    this.#recognised.set(connection, opened)
  }

  /** A batch is forgotten after 48 h: after such a pause a collector joins again without need. */
  async #isKnown(connection: StoreConnection): Promise<boolean> {
    const [row] = await connection.query<{ readonly known: boolean }>({
      name: 'recognise',
      text: `SELECT EXISTS (SELECT FROM waystation.collectors WHERE id = $1 AND name = $2)
        AND ($3::uuid IS NULL OR EXISTS (SELECT FROM waystation.commits WHERE batch = $3)) AS known`,
      values: [this.#id, this.#options.name, this.#last],
    })
    return row?.known ?? false
  }

  async #rejoin(connection: StoreConnection): Promise<void> {
    const id = await register(connection, this.#options)
    await leaveLanes(connection, id)
    this.#id = id
    this.#last = null
  }
}

/** @returns the id of this collector: the same as before where its name is known */
async function register(connection: StoreConnection, { name, lanes }: Options): Promise<number> {
  const [row] = await connection.query<{ readonly id: number }>({
    text: `INSERT INTO waystation.collectors (name, lanes) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp(), lanes = excluded.lanes RETURNING id`,
    values: [name, lanes],
  })
  if (row === undefined) throw new Error(`the collector ${name} has no id in the store`)
  return row.id
}

/** Others may take its lanes at once, and no longer count it. */
export async function leaveLanes(connection: StoreConnection, collector: number): Promise<void> {
  await connection.query({
    text: `WITH gone AS (UPDATE waystation.collectors SET relayed_at = '-infinity' WHERE id = $1)
      UPDATE waystation.lanes SET owner = NULL, until = clock_timestamp() WHERE owner = $1`,
    values: [collector],
  })
}
