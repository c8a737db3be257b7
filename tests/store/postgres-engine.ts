import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterAll } from 'vitest'
import { openForWriting } from '../../collector/runtime/database'
import { Mirror } from '../../collector/spool/mirror/mirror'
import { migrate } from '../../collector/spool/schema'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { temporaryFolder } from '../unit/spool/in-process-spool'
import { createDatabase, dropDatabases, withClient } from './databases'
import type { OpenedStore, OpenOptions } from './engines'
import type { TestServer } from './shared-cluster'

/** Facts in one page for a mirror: few, so that most tests read several pages. */
const PAGE_FACTS = 7

const stores = new Set<PostgresStore>()
const mirrors = new Set<Database>()

/** Opens a store on a new database, or on a given one. Its read side is a mirror that begins at the first fact. */
export async function openOnPostgres(server: TestServer, options: OpenOptions, given?: string): Promise<OpenedStore> {
  if ('why' in server) throw new Error(server.why)
  const url = given ?? (await emptyDatabase(server))
  const { now = () => 1_700_000_000_000, pageFacts = PAGE_FACTS } = options
  const store = await openPostgresStore({ url, name: 'test', now, log: () => undefined })
  stores.add(store)
  const mirror = openMirror(now)
  return {
    ...store,
    readSide: async () => {
      for (;;) {
        const page = await store.follow(mirror.at.cursor(), pageFacts)
        if (page === null) return mirror.db
        mirror.at.apply(page)
      }
    },
    reopen: async () => {
      await store.close()
      return openOnPostgres(server, options, url)
    },
  }
}

/** The database of this test file, and the tables that are empty in a new one. */
let database: { readonly url: string; readonly tables: readonly string[] } | null = null

/** Deleting the few rows of a test takes a tenth of the time of a new database. Ends the stores of earlier tests. */
async function emptyDatabase(server: Extract<TestServer, { readonly url: string }>): Promise<string> {
  await closeStores()
  const known = database
  if (known === null) {
    const url = await createDatabase(server.url, server.template)
    database = { url, tables: await emptyTables(url) }
    return url
  }
  await withClient(known.url, (client) =>
    client.query(known.tables.map((name) => `DELETE FROM waystation.${name}`).join(';')),
  )
  return known.url
}

const emptyTables = (url: string): Promise<readonly string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'waystation'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
    const names = rows.map(({ name }) => String(name))
    const counts = await client.query(
      names.map((name) => `SELECT '${name}' AS name FROM waystation.${name}`).join(' UNION '),
    )
    const filled = new Set(counts.rows.map(({ name }) => name))
    return names.filter((name) => !filled.has(name))
  })

async function closeStores(): Promise<void> {
  await Promise.all([...stores].map((store) => store.close()))
  stores.clear()
}

/** A mirror in a temporary folder, which has nothing yet. */
export function openMirror(now: () => number): { readonly db: Database; readonly at: Mirror } {
  const db = openForWriting(join(temporaryFolder(), 'spool.db'), 'NORMAL')
  mirrors.add(db)
  migrate(db)
  return { db, at: new Mirror(db, { now, monotonic: () => 0 }) }
}

/** Call it once per test file. */
export function closePostgresAtEnd(server: TestServer): void {
  afterAll(async () => {
    await closeStores()
    database = null
    for (const db of mirrors) db.close()
    mirrors.clear()
    if ('url' in server) await dropDatabases(server.url)
  })
}
