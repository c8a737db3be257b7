import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { dropPartition, finishDrops, listPartitions } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { keptSubmission } from '../unit/spool/in-process-spool'
import { closeKeptStores, type KeptStore, openKeptStore, server } from './housekeeping-store'

describe.skipIf('why' in server)('a partition that is dropped', () => {
  closeKeptStores()
  let store: KeptStore
  let reader: Client
  let observer: Client
  beforeEach(async () => {
    store = await openKeptStore()
    // Two facts each: numbers 1 to 40 are in the partitions 0, 1 and 2.
    for (let records = 0; records < 20; records += 1) await store.append(keptSubmission())
    reader = new Client({ connectionString: store.url })
    observer = new Client({ connectionString: store.url })
    await Promise.all([reader.connect(), observer.connect()])
  })
  afterEach(() => Promise.all([reader.end(), observer.end()]))

  const names = async (): Promise<readonly number[]> => (await listPartitions(store.connection)).map(({ p }) => p)

  const beginReading = async (): Promise<void> => {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await reader.query('SELECT count(*) FROM waystation.records, waystation.journal')
  }

  /** Until a statement that begins so waits for a lock. */
  const untilWaiting = (statement: string): Promise<void> =>
    expect
      .poll(async () => {
        const { rows } = await observer.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
          [`${statement}%`],
        )
        return rows.length
      })
      .toBeGreaterThan(0)

  const appendSome = async (): Promise<void> => {
    for (let records = 0; records < 5; records += 1) await store.append(keptSubmission())
  }

  /** How many batches wait for a drop. */
  const blockedByDrop = async (): Promise<number> => {
    const { rows } = await observer.query(
      `SELECT FROM pg_stat_activity waiting, pg_stat_activity dropping
         WHERE dropping.query LIKE 'ALTER TABLE%' AND dropping.pid = ANY (pg_blocking_pids(waiting.pid))
           AND waiting.query LIKE '%commit_batch%'`,
    )
    return rows.length
  }

  it('leaves all four tables', async () => {
    await dropPartition(store.connection, 0)
    expect(await names()).toEqual([1, 2])
    expect(await store.column('SELECT min(n) FROM waystation.journal')).toEqual([16])
    expect(await store.column('SELECT min(seq) FROM waystation.records')).toEqual([17])
    await dropPartition(store.connection, 0)
  })

  it('does not let appends wait for a reader', async () => {
    await beginReading()
    const outcome = dropPartition(store.connection, 0).catch((error: unknown) => error)
    await untilWaiting('ALTER TABLE')
    const appending = appendSome()
    expect(await blockedByDrop()).toBe(0)
    await appending
    // The lock timeout, as the reader does not end.
    expect(await outcome).toMatchObject({ code: '55P03' })
    expect(await listPartitions(store.connection)).toContainEqual(expect.objectContaining({ p: 0, hasFacts: false }))
  })

  it('does not let appends wait for long readers that overlap, and is gone after the last one', async () => {
    const readers = await Promise.all(
      [1, 2].map(async () => {
        const client = new Client({ connectionString: store.url })
        await client.connect()
        onTestFinished(() => client.end())
        return client
      }),
    )
    const begin = async (client: Client): Promise<void> => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await client.query('SELECT count(*) FROM waystation.records')
    }
    let isDropped = false
    /** As housekeeping does: again after each lock timeout. */
    const dropAll = async (): Promise<void> => {
      while (!isDropped) {
        const outcome = await finishDrops(store.connection)
          .then(async () => {
            for (const p of [0, 1]) await dropPartition(store.connection, p)
          })
          .catch((error: unknown) => error)
        isDropped = outcome === undefined
        if (!isDropped) expect(outcome).toMatchObject({ code: '55P03' })
      }
    }
    await beginReading()
    const dropping = dropAll()
    const overlapping = [reader, ...readers]
    for (const [at, current] of overlapping.entries()) {
      await untilWaiting('ALTER TABLE')
      const appending = appendSome()
      expect(await blockedByDrop()).toBe(0)
      await appending
      expect(isDropped).toBe(false)
      const next = overlapping[at + 1]
      if (next !== undefined) await begin(next)
      await current.query('ROLLBACK')
    }
    await dropping
    expect((await names())[0]).toBe(2)
  })

  it('lets all appends wait when it is dropped as a table', async () => {
    await beginReading()
    const dropping = store.column('DROP TABLE waystation.journal_0').catch(() => undefined)
    await untilWaiting('DROP TABLE')
    let isAppended = false
    const appending = store.append(keptSubmission()).then(() => {
      isAppended = true
    })
    await untilWaiting('SELECT duplicates')
    expect(isAppended).toBe(false)
    await reader.query('ROLLBACK')
    await Promise.all([dropping, appending])
  })

  it('is finished by the next run after a reader ended the first', async () => {
    await beginReading()
    await expect(dropPartition(store.connection, 0)).rejects.toMatchObject({ code: '55P03' })
    await expect(finishDrops(store.connection)).rejects.toMatchObject({ code: '55P03' })
    await reader.query('ROLLBACK')
    expect(await finishDrops(store.connection)).toMatchObject([{ p: 0 }])
    expect(await names()).toEqual([1, 2])
    expect(await finishDrops(store.connection)).toEqual([])
  })

  it('is finished by the next run after the connection was lost', async () => {
    await beginReading()
    const dropping = dropPartition(store.connection, 0).catch((error: unknown) => error)
    await untilWaiting('ALTER TABLE')
    await observer.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'ALTER TABLE%'`,
    )
    expect(await dropping).toMatchObject({ name: 'StoreAwayError' })
    await reader.query('ROLLBACK')
    await finishDrops(store.connection)
    expect(await names()).toEqual([1, 2])
  })

  it.each([
    'ALTER TABLE waystation.journal DETACH PARTITION waystation.journal_0',
    'DROP TABLE waystation.journal_0',
    'DROP TABLE waystation.journal_0, waystation.records_0',
    'DROP TABLE waystation.journal_0, waystation.records_0, waystation.attempts_0',
  ])('is finished by the next run after %s', async (statement) => {
    await store.column(statement)
    await finishDrops(store.connection)
    expect(await names()).toEqual([1, 2])
  })

  it('refuses what is no number of a partition', async () => {
    await expect(dropPartition(store.connection, -1)).rejects.toThrow('a partition must be a whole number, got -1')
  })
})
