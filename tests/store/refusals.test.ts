import { afterAll, expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { StoreAwayError } from '../../collector/spool-postgres/store-away'
import { seqOf, submission } from '../unit/spool/in-process-spool'
import { startCuttingProxy } from './cut-connections'
import { createDatabase, dropDatabases } from './databases'

const server = inject('postgres')
afterAll(() => ('url' in server ? dropDatabases(server.url) : undefined))

/** A store whose server can go away, and whose batches give up after their first try. */
async function openBehindProxy() {
  if ('why' in server) throw new Error(server.why)
  const proxy = await startCuttingProxy(await createDatabase(server.url, server.template))
  const log: string[] = []
  let time = 0
  const monotonic = (): number => {
    time += 5000
    return time
  }
  const options = { url: proxy.url, name: 'a', now: Date.now, monotonic, log: (line: string) => void log.push(line) }
  const store = await openPostgresStore(options)
  onTestFinished(async () => {
    await store.close()
    await proxy.close()
  })
  return { store, proxy, log }
}

it.skipIf('why' in server)(
  'after a batch gave up, others are refused without a try until PostgreSQL answers',
  async () => {
    const { store, proxy, log } = await openBehindProxy()
    await store.append(submission())
    proxy.refuse(true)
    const first: unknown = await store.append(submission()).catch((error: unknown) => error)
    expect(first).toBeInstanceOf(StoreAwayError)
    // A new attempt would have an error of its own.
    const refused = await Promise.allSettled([submission(), submission()].map(store.append))
    expect(refused).toEqual([1, 2].map(() => ({ status: 'rejected', reason: first })))
    for (const one of refused) expect('reason' in one && one.reason).toBe(first)
    expect(log).toEqual([
      expect.stringMatching(/^PostgreSQL at .* is away: .*; envelopes are refused with 503 until it answers$/),
    ])

    proxy.refuse(false)
    await expect.poll(() => log).toHaveLength(2)
    expect(log[1]).toBe('PostgreSQL answers: envelopes are stored')
    expect(await seqOf(store.append(submission()))).toBe(2)
  },
)

it.skipIf('why' in server)('a store that is closed while PostgreSQL is away says no more about it', async () => {
  const { store, proxy, log } = await openBehindProxy()
  proxy.refuse(true)
  await expect(store.append(submission())).rejects.toThrow(StoreAwayError)
  await store.close()
  proxy.refuse(false)
  await expect(store.append(submission())).rejects.toThrow(StoreAwayError)
  expect(log).toHaveLength(1)
})
