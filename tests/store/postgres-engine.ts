import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterAll } from 'vitest'
import { openForWriting } from '../../collector/runtime/database'
import { Mirror } from '../../collector/spool/mirror/mirror'
import { migrate } from '../../collector/spool/schema'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { temporaryFolder } from '../unit/spool/in-process-spool'
import { createDatabase, dropDatabases } from './databases'
import type { OpenedStore, OpenOptions } from './engines'
import type { TestServer } from './shared-cluster'

/** Facts in one page for a mirror: few, so that most tests read several pages. */
const PAGE_FACTS = 7

const stores = new Set<PostgresStore>()
const mirrors = new Set<Database>()

/** Opens a store on a new database, or on a given one. Its read side is a mirror that begins at the first fact. */
export async function openOnPostgres(server: TestServer, options: OpenOptions, given?: string): Promise<OpenedStore> {
  if ('why' in server) throw new Error(server.why)
  const url = given ?? (await createDatabase(server.url, server.template))
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
    await Promise.all([...stores].map((store) => store.close()))
    for (const db of mirrors) db.close()
    stores.clear()
    mirrors.clear()
    if ('url' in server) await dropDatabases(server.url)
  })
}
