import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest'
import { LedgerNames } from '../../collector/spool/ledger/ledger-entries'
import type { MirrorCursor } from '../../collector/spool/mirror/journal-page'
import { deflateBody } from '../../collector/spool/record-body'
import { buildBatch } from '../../collector/spool-postgres/batch'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { seqOf, submission } from '../unit/spool/in-process-spool'
import { createDatabase, dropDatabases, withClient } from './databases'

const server = inject('postgres')
const clients: Client[] = []
const stores: PostgresStore[] = []

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  clients.push(client)
  return client
}

const newDatabase = (): Promise<string> => {
  if ('why' in server) throw new Error(server.why)
  return createDatabase(server.url)
}

/** Resolves when another connection waits for a lock that this one holds. */
async function waitsFor(client: Client): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity
    WHERE (SELECT pg_backend_pid()) = ANY (pg_blocking_pids(pid)) AND wait_event_type = 'Lock'`
  for (let found = 0; found === 0; ) found = (await client.query(sql)).rowCount ?? 0
}

describe.skipIf('why' in server)('numbers under concurrent writers', () => {
  afterEach(async () => {
    await Promise.all([...stores.splice(0).map((one) => one.close()), ...clients.splice(0).map((one) => one.end())])
  })

  afterAll(() => ('url' in server ? dropDatabases(server.url) : undefined))

  it('a plain sequence makes a follower skip a fact that commits late', async () => {
    const url = await newDatabase()
    const [late, early, follower] = [await connect(url), await connect(url), await connect(url)]
    await follower.query('CREATE TABLE facts (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tag text NOT NULL)')
    const followed: string[] = []
    let cursor = 0
    const follow = async (): Promise<void> => {
      const { rows } = await follower.query('SELECT n, tag FROM facts WHERE n > $1 ORDER BY n', [cursor])
      for (const { n, tag } of rows) {
        cursor = Number(n)
        followed.push(tag)
      }
    }
    await late.query('BEGIN')
    await late.query("INSERT INTO facts (tag) VALUES ('late')")
    await early.query("INSERT INTO facts (tag) VALUES ('early')")
    await follow()
    await late.query('COMMIT')
    await follow()
    expect(followed).toEqual(['early'])
    const { rows } = await follower.query('SELECT tag FROM facts ORDER BY n')
    expect(rows).toEqual([{ tag: 'late' }, { tag: 'early' }])
  })

  it.each([
    ['COMMIT', 2],
    ['ROLLBACK', 1],
  ])('a batch waits for the one before it to end with %s, so that a follower skips nothing', async (end, records) => {
    const url = await newDatabase()
    const store = await openPostgresStore({ url, name: 'a', now: Date.now, log: () => undefined })
    stores.push(store)
    const facts: number[] = []
    let cursor: MirrorCursor = { n: 0, batch: null }
    const follow = async (): Promise<void> => {
      for (let page = await store.follow(cursor, 1); page !== null; page = await store.follow(cursor, 1)) {
        facts.push(...page.facts.map(({ n }) => n))
        cursor = page.upTo
      }
    }
    await store.append(submission())
    await follow()

    const slow = await connect(url)
    await slow.query('BEGIN')
    const one = submission()
    const write = { kind: 'append', submission: one, receipt: one.receipt, stored: deflateBody(one.body) } as const
    const { values } = buildBatch([write], new Map(), new LedgerNames({ categories: [], reasons: [] }), 1)
    const places = Array.from({ length: values.length + 3 }, (_, at) => `$${at + 1}`).join(', ')
    await slow.query(`SELECT waystation.commit_batch(${places})`, [randomUUID(), 1, 0, ...values])
    const appended = seqOf(store.append(submission()))
    await waitsFor(slow)
    await follow()
    expect(facts).toEqual([1])

    await slow.query(end)
    expect(await appended).toBe(1 + records)
    await follow()
    expect(facts).toEqual(Array.from({ length: 1 + records }, (_, at) => at + 1))
    const stored = await withClient(url, (client) => client.query('SELECT seq FROM waystation.records ORDER BY seq'))
    expect(stored.rows.map(({ seq }) => Number(seq))).toEqual(facts)
  })
})
