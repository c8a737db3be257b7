import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { StoreAwayError } from '../../collector/spool-postgres/store-away'
import type { Submission } from '../../lib/protocol/submission'
import { type Random, randomFrom } from '../faults/random'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { type Cluster, createCluster } from './cluster'
import { createDatabase, withClient } from './databases'

const server = inject('postgres')
/** `FAULT_SEED=7` generates other traffic. */
const SEED = Number(process.env.FAULT_SEED ?? 1)
/** A fault happens whenever so many more submissions were acknowledged. */
const ACKNOWLEDGED_BETWEEN = 100
const FAULTS = [
  'terminate',
  'terminate',
  'SIGQUIT',
  'terminate',
  'SIGKILL',
  'terminate',
  'terminate',
  'SIGQUIT',
  'terminate',
  'SIGKILL',
] as const

/** Submissions that several collectors sent to one database, and the answers that they got. */
class Traffic {
  readonly acknowledged = new Map<string, number>()
  readonly settled = new Set<number>()
  readonly contradictions: string[] = []
  away = 0
  isOver = false
  readonly #sent: Submission[] = []
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  get sent(): readonly Submission[] {
    return this.#sent
  }

  /** Resolves when so many submissions were acknowledged. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }

  /** Appends and settles until the faults are over. A collector repeats a call until it is answered. */
  async run(store: PostgresStore, draw: Random): Promise<void> {
    const mine: number[] = []
    while (!this.isOver) {
      const fresh = Array.from({ length: draw.between(1, 20) }, () => submission({ size: draw.between(0, 2000) }))
      const again = Array.from({ length: draw.between(0, 3) }, () => this.#oneOfTheLast(draw))
      this.#sent.push(...fresh)
      const due = mine.splice(0, draw.between(0, 20))
      await Promise.all([
        ...fresh.map(async (one) => mine.push(await this.#append(store, one))),
        ...again.flatMap((one) => (one === undefined ? [] : [this.#append(store, one)])),
        ...due.map((seq) => this.#settle(store, seq)),
      ])
    }
  }

  #oneOfTheLast(draw: Random): Submission | undefined {
    return this.#sent[this.#sent.length - draw.between(1, 60)]
  }

  async #append(store: PostgresStore, one: Submission): Promise<number> {
    const seq = await this.#untilAnswered(() => seqOf(store.append(one)))
    const before = this.acknowledged.get(one.receipt)
    if (before !== undefined && before !== seq) this.contradictions.push(`${one.receipt}: first ${before}, then ${seq}`)
    this.acknowledged.set(one.receipt, seq)
    for (const [at, { count, resolve }] of [...this.#waiting.entries()].reverse()) {
      if (this.acknowledged.size < count) continue
      this.#waiting.splice(at, 1)
      resolve()
    }
    return seq
  }

  async #settle(store: PostgresStore, seq: number): Promise<void> {
    await this.#untilAnswered(() => store.recordAttempt(accepted(seq)))
    this.settled.add(seq)
  }

  async #untilAnswered<Value>(call: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof StoreAwayError)) throw error
        this.away += 1
      }
    }
  }
}

describe.skipIf('why' in server)('several collectors on one database', () => {
  let cluster: Cluster
  const stores: PostgresStore[] = []

  beforeAll(async () => {
    const created = await createCluster()
    if ('why' in created) throw new Error(created.why)
    cluster = created
    await cluster.start()
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await cluster.remove()
  })

  /** Ends a connection while it writes a batch. */
  const terminate = (): Promise<void> =>
    withClient(cluster.url(), async (client: Client) => {
      for (let ended = 0; ended === 0; ) {
        const { rowCount } = await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE state = 'active' AND query LIKE '%waystation.commit_batch%' AND pid <> pg_backend_pid() LIMIT 1`,
        )
        ended = rowCount ?? 0
      }
    })

  it('lose nothing that was acknowledged, and store each receipt once, through lost connections and restarts', async () => {
    const url = await createDatabase(cluster.url())
    const open = (name: string) => openPostgresStore({ url, name, now: Date.now, log: () => undefined })
    // All of them find an empty database.
    stores.push(...(await Promise.all(['a', 'b', 'c'].map(open))))
    const traffic = new Traffic()
    const running = Promise.all(stores.map((store, at) => traffic.run(store, randomFrom(SEED * 10 + at))))
    const faults = async (): Promise<void> => {
      for (const [at, fault] of FAULTS.entries()) {
        await traffic.reached((at + 1) * ACKNOWLEDGED_BETWEEN)
        if (fault === 'terminate') await terminate()
        else {
          await cluster.stop(fault)
          await cluster.start()
        }
      }
      await traffic.reached((FAULTS.length + 1) * ACKNOWLEDGED_BETWEEN)
      traffic.isOver = true
    }
    await Promise.all([running, faults()])

    expect(traffic.contradictions).toEqual([])
    const { sent, acknowledged, settled } = traffic
    expect(acknowledged.size).toBe(sent.length)
    await withClient(url, async (client: Client) => {
      const read = async (sql: string) => (await client.query(sql)).rows
      const records = await read('SELECT receipt, seq::int FROM waystation.records ORDER BY receipt')
      const expected = [...acknowledged].map(([receipt, seq]) => ({ receipt, seq }))
      expect(records).toEqual(expected.sort((a, b) => (a.receipt < b.receipt ? -1 : 1)))
      const [journal] = await read(`SELECT count(*)::int AS facts, max(n)::int AS last, min(n)::int AS first,
        (SELECT max(last)::int FROM waystation.commits) AS head FROM waystation.journal`)
      expect(journal).toEqual({ first: 1, facts: journal.last, last: journal.last, head: journal.last })
      const outcomes = await read('SELECT seq::int FROM waystation.outcomes ORDER BY seq')
      expect(outcomes.map(({ seq }) => seq)).toEqual([...settled].sort((a, b) => a - b))
      const pending = await read('SELECT seq::int FROM waystation.pending_deliveries ORDER BY seq')
      expect(pending.map(({ seq }) => seq)).toEqual(
        [...acknowledged.values()].filter((seq) => !settled.has(seq)).sort((a, b) => a - b),
      )
      const totals = await read(`SELECT entry, sum(quantity)::int AS quantity FROM
        (SELECT entry, quantity FROM waystation.totals_added UNION ALL SELECT entry, quantity FROM waystation.ledger_totals) t
        GROUP BY entry ORDER BY entry`)
      expect(totals).toEqual([
        { entry: 'accepted', quantity: settled.size },
        { entry: 'pending', quantity: sent.length - settled.size },
        { entry: 'received', quantity: sent.length },
      ])
    })
  })
})
