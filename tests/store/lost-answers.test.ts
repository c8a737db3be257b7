import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { type CuttingProxy, startCuttingProxy } from './cut-connections'
import { createDatabase, dropDatabases, withClient } from './databases'

const server = inject('postgres')

describe.skipIf('why' in server).each(['request', 'answer'] as const)(
  'a batch whose connection is lost with its %s',
  (at) => {
    let database = ''
    let proxy: CuttingProxy
    let store: PostgresStore

    beforeEach(async () => {
      if ('why' in server) throw new Error(server.why)
      database = await createDatabase(server.url, server.template)
      proxy = await startCuttingProxy(database)
      store = await openPostgresStore({ url: proxy.url, name: 'a', now: Date.now, log: () => undefined })
      await store.append(submission())
    })
    afterEach(async () => {
      await store.close()
      await proxy.close()
    })
    afterAll(() => ('url' in server ? dropDatabases(server.url) : undefined))

    const read = (sql: string) => withClient(database, async (client) => (await client.query(sql)).rows)

    it('is stored once and answered with its numbers', async () => {
      const sent = [submission(), submission(), submission()]
      proxy.cutNext(at)
      const seqs = await Promise.all(sent.map((one) => seqOf(store.append(one))))
      expect(proxy.cuts()).toBe(1)
      expect(await read('SELECT receipt, seq::int FROM waystation.records ORDER BY seq OFFSET 1')).toEqual(
        sent.map(({ receipt }, n) => ({ receipt, seq: seqs[n] })),
      )
      expect(await seqOf(store.append(submission()))).toBe(5)
      expect(await read('SELECT count(*)::int FROM waystation.commits')).toEqual([{ count: 3 }])
    })

    it('writes attempts, outcomes and totals once', async () => {
      const seqs = await Promise.all([submission(), submission()].map((one) => seqOf(store.append(one))))
      const [one = 0, two = 0] = seqs
      const toReport = [{ category: 'error', reason: 'ratelimit_backoff', quantity: 2 }]
      proxy.cutNext(at)
      await Promise.all([
        store.recordAttempt(accepted(one, { toReport })),
        store.recordAttempt(accepted(two, { status: 413, decision: null, dead: true })),
        store.countRefusal('too_large', 1),
      ])
      expect(proxy.cuts()).toBe(1)
      expect(await read('SELECT seq::int FROM waystation.attempts ORDER BY seq')).toEqual(seqs.map((seq) => ({ seq })))
      expect(await read('SELECT seq::int, outcome FROM waystation.outcomes')).toEqual([
        { seq: one, outcome: 'accepted' },
      ])
      expect(await read("SELECT sum(quantity)::int FROM waystation.totals_added WHERE entry = 'accepted'")).toEqual([
        { sum: 1 },
      ])
      expect(await store.unreported('key', '1')).toEqual(toReport)
      expect(await store.deadSeqs()).toEqual([two])
      proxy.cutNext(at)
      expect(await store.requeueDeadLetters([two, one])).toEqual([two])
      await store.recordAttempt(accepted(two, { status: 413, decision: null, dead: true }))
      proxy.cutNext(at)
      expect(await store.dropDeadLetters([two, one])).toBe(1)
      expect(proxy.cuts()).toBe(3)
    })

    it('is sent again also when the connection is lost before it, while it reads what it depends on', async () => {
      const sent = submission()
      const seq = await seqOf(store.append(sent))
      // The collector that stored it reads nothing.
      const other = await openPostgresStore({ url: proxy.url, name: 'b', now: Date.now, log: () => undefined })
      proxy.cutNext(at, 'known')
      await other.recordAttempt(accepted(seq))
      await other.close()
      proxy.cutNext(at, 'record')
      expect(await seqOf(store.append(sent))).toBe(seq)
      expect(proxy.cuts()).toBe(2)
      expect(await read('SELECT seq::int, outcome FROM waystation.outcomes')).toEqual([{ seq, outcome: 'accepted' }])
    })

    it('needs no read for results of records that this collector stored', async () => {
      const seq = await seqOf(store.append(submission()))
      proxy.cutNext(at, 'known')
      await store.recordAttempt(accepted(seq))
      expect(proxy.cuts()).toBe(0)
      // Decided, so it is forgotten: a second result reads it.
      await store.recordAttempt(accepted(seq))
      expect(proxy.cuts()).toBe(1)
      expect(await read('SELECT count(*)::int FROM waystation.outcomes')).toEqual([{ count: 1 }])
    })
  },
)
