import { Client } from 'pg'
import { expect, it } from 'vitest'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { createDatabase, withClient } from '../store/databases'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { clusterOfTest } from './shared-collectors'

/** `FAULT_DELIVERIES=100000`, which `npm run test:faults` sets, posts as many records as a long outage leaves. */
const DELIVERIES = Number(process.env.FAULT_DELIVERIES ?? 4000)
/** Calls at once, so that most batches have as many. */
const AT_ONCE = 100
/** The same work is measured in so many parts. */
const PARTS = 4
const GROWTH = 1.2
const UPDATES = 500

/** Pages of tables and indexes that PostgreSQL read, also from its cache: they grow with the rows that it has to skip. */
interface Cost {
  readonly pagesPerAppend: number
  readonly pagesPerDelivery: number
}

const PAGES = `SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
    + coalesce(toast_blks_read + toast_blks_hit + tidx_blks_read + tidx_blks_hit, 0))::int8 AS pages
  FROM pg_statio_user_tables`

it(`a transaction that stays open does not make batches or deliveries cost more (${DELIVERIES} of each)`, async ({
  skip,
  onTestFinished,
}) => {
  const cluster = await clusterOfTest({ skip, onTestFinished })
  // The pages of vacuum are not those of batches.
  await cluster.start({ autovacuum: 'off' })
  const url = await createDatabase(cluster.url())
  const pages = (): Promise<number> =>
    withClient(url, async (client) => Number((await client.query(PAGES)).rows[0]?.pages))
  /** A backend publishes its figures when it ends. */
  const pagesOf = async (work: (store: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<number> => {
    const before = await pages()
    const store = await open()
    await work(store)
    await store.close()
    await untilAlone(url)
    return (await pages()) - before
  }
  const open = () => openPostgresStore({ url, name: 'test', now: Date.now, log: () => undefined })
  const each = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> => {
    for (let from = 0; from < items.length; from += AT_ONCE)
      await Promise.all(items.slice(from, from + AT_ONCE).map(work))
  }
  const size = DELIVERIES / PARTS
  const measure = async (): Promise<Cost> => {
    const seqs: number[] = []
    const appending = await pagesOf((store) =>
      each(
        Array.from({ length: size }, () => submission({ size: 500 })),
        async (one) => seqs.push(await seqOf(store.append(one))),
      ),
    )
    const delivering = await pagesOf((store) => each(seqs, (seq) => store.recordAttempt(accepted(seq))))
    return { pagesPerAppend: appending / size, pagesPerDelivery: delivering / size }
  }

  await measure()
  const alone = await measure()
  const reader = new Client({ connectionString: url })
  await reader.connect()
  onTestFinished(() => reader.end())
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT count(*) FROM waystation.records')
  const costs: Cost[] = []
  for (let part = 0; part < PARTS; part += 1) costs.push(await measure())
  console.log(`pages without an open transaction ${named(alone)}; with one ${costs.map(named).join('; ')}`)
  for (const { pagesPerAppend, pagesPerDelivery } of costs) {
    expect(pagesPerAppend).toBeLessThan(GROWTH * alone.pagesPerAppend)
    expect(pagesPerDelivery).toBeLessThan(GROWTH * alone.pagesPerDelivery)
  }

  // The measure notices a row that each statement updates, as a counter would be.
  const counting = () =>
    pagesOf(async () => {
      await withClient(url, async (client) => {
        for (let updates = 0; updates < UPDATES; updates += 1)
          await client.query('UPDATE counted SET value = value + 1')
      })
    })
  await withClient(url, (client) => client.query('CREATE TABLE counted AS SELECT 0 AS value'))
  const first = await counting()
  expect(await counting()).toBeGreaterThan(GROWTH * first)
})

const named = ({ pagesPerAppend, pagesPerDelivery }: Cost): string =>
  `${pagesPerAppend.toFixed(1)} an append, ${pagesPerDelivery.toFixed(1)} a delivery`

async function untilAlone(url: string): Promise<void> {
  await expect
    .poll(() =>
      withClient(url, async (client) => {
        const { rows } = await client.query(
          `SELECT FROM pg_stat_activity WHERE application_name = 'waystation' AND datname = current_database()`,
        )
        return rows.length
      }),
    )
    .toBe(0)
}
