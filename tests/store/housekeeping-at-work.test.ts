import { Client, type QueryConfig } from 'pg'
import { describe, expect, it } from 'vitest'
import { EXPIRES_AFTER_MS } from '../../collector/spool/disk/delete-records'
import type { JournalPage } from '../../collector/spool/mirror/journal-page'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import { CursorLostError, readPage } from '../../collector/spool-postgres/follow/read-page'
import { dropPartition } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { accepted, keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, openKeptStore, server } from './housekeeping-store'

/** Runs work before the query of a name, and one query after the other. */
class InterruptedConnection extends StoreConnection {
  readonly #name: string
  readonly #work: () => Promise<void>
  #last: Promise<unknown> = Promise.resolve()

  constructor(url: string, name: string, work: () => Promise<void>) {
    super(url)
    this.#name = name
    this.#work = work
  }

  override query<Row extends object>(query: QueryConfig): Promise<readonly Row[]> {
    const rows = this.#last.then(async () => {
      if (query.name === this.#name) await this.#work()
      return super.query<Row>(query)
    })
    this.#last = rows.catch(() => undefined)
    return rows
  }
}

const sum = async (store: KeptStore, entry: string): Promise<number> => {
  const [quantity] = await store.column(`SELECT coalesce(sum(quantity), 0)::int8
    FROM (SELECT entry, quantity FROM waystation.totals_added
      UNION ALL SELECT entry, quantity FROM waystation.ledger_totals) AS totals WHERE entry = '${entry}'`)
  return Number(quantity)
}

describe.skipIf('why' in server)('housekeeping during other work', () => {
  closeKeptStores()

  it('loses nothing that is pending, and keeps the totals exact', async () => {
    const retention = { maxAgeMs: HOUR_MS, budgetBytes: null }
    const store = await openKeptStore({ retention })
    const other = await store.openOther('other')
    const stored: number[] = []
    const addPending = async (records: number): Promise<void> => {
      for (let n = 0; n < records; n += 1) {
        const appended = await store.append(submission({ receivedAt: store.clock.now }))
        if ('seq' in appended) stored.push(appended.seq)
      }
    }
    for (let round = 0; round < 6; round += 1) {
      const done = stored.slice(-6)
      await Promise.all([
        addPending(12),
        ...done.map((seq) => other.recordAttempt(accepted(seq))),
        store.runHousekeeping(),
        other.runHousekeeping(),
      ])
      store.clock.now += 13 * HOUR_MS
      store.clock.monotonic += 60_000
    }
    const pending = await store.column('SELECT seq FROM waystation.pending_deliveries ORDER BY seq')
    expect(
      await store.column(
        `SELECT seq FROM waystation.records JOIN waystation.pending_deliveries USING (seq) ORDER BY seq`,
      ),
    ).toEqual(pending)
    expect(stored).toHaveLength(72)
    expect(pending).toHaveLength(72 - 30)
    expect(await sum(store, 'received')).toBe(72)
    expect(await sum(store, 'accepted')).toBe(30)
    expect(await sum(store, 'pending')).toBe(42)

    await store.column(`UPDATE waystation.counters SET value = value + ${2 * EXPIRES_AFTER_MS} WHERE name = 'ran_ms'`)
    await Promise.all([addPending(12), store.runHousekeeping(), other.runHousekeeping()])
    expect((await sum(store, 'pending')) + (await sum(store, 'accepted')) + (await sum(store, 'expired'))).toBe(84)
    const [left] = await store.column('SELECT count(*) FROM waystation.pending_deliveries')
    expect(await sum(store, 'pending')).toBe(left)
    expect(await sum(store, 'expired')).toBeGreaterThan(0)
    expect([...store.log, ...other.log].filter((line) => !/^(?:Dropped|Keeps) /.test(line))).toEqual([])
  })

  it('ignores a late result of a record whose partition is dropped meanwhile', async () => {
    const store = await openKeptStore()
    for (let records = 0; records < 10; records += 1) await store.append(keptSubmission())
    const holder = new Client({ connectionString: store.url })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM waystation.turn WHERE id = 1 FOR UPDATE')
    const recording = store.recordAttempt(accepted(1))
    await expect
      .poll(() =>
        store.column(
          `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      )
      .toEqual([1])
    await dropPartition(store.connection, 0)
    await holder.query('ROLLBACK')
    await holder.end()
    await recording
    expect(await store.column('SELECT count(*) FROM waystation.attempts')).toEqual([0])
    expect(await store.column('SELECT kind FROM waystation.journal WHERE n > 20')).toEqual(['changed'])
  })

  it.each(['page_facts', 'page_records', 'page_attempts', 'page_totals'])(
    'gives whole pages when a partition is dropped before the query %s',
    async (name) => {
      const store = await openKeptStore()
      for (let records = 0; records < 20; records += 1) await store.append(keptSubmission())
      const read = async (page: JournalPage | null): Promise<JournalPage | null> => {
        let isDropped = false
        const connection = new InterruptedConnection(store.url, name, async () => {
          if (isDropped) return
          isDropped = true
          await dropPartition(store.connection, page === null ? 0 : 1)
        })
        try {
          return await readPage(connection, page?.upTo ?? { n: 0, batch: null }, 4)
        } finally {
          await connection.close()
        }
      }
      const first = await read(null)
      expect(first?.facts.map(({ n }) => n)).toEqual([16, 17, 18])
      expect(first?.records.map(({ seq }) => seq)).toEqual([17])
      await expect(read(first)).rejects.toThrow(CursorLostError)
    },
  )
})
