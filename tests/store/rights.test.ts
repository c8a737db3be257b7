import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, type TestContext } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { accepted, submission } from '../unit/spool/in-process-spool'
import { createDatabase, dropDatabases, nameOfDatabase, withClient } from './databases'
import { HOUR_MS, NOW, server } from './housekeeping-store'

/** As in docs/operate.md. */
const RIGHTS = (role: string): readonly string[] => [
  `GRANT USAGE ON SCHEMA waystation TO ${role}`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA waystation TO ${role}`,
]

const roles = new Set<string>()

afterAll(async () => {
  if ('why' in server) return
  await dropDatabases(server.url)
  await asAdministrator(server.url, ...[...roles].map((role) => `DROP ROLE ${role}`))
})

const asAdministrator = (url: string, ...statements: readonly string[]): Promise<void> =>
  withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement)
  })

/** An empty database of the administrator, and functions for roles of this test. */
async function emptyDatabase({ skip }: TestContext) {
  if ('why' in server) return skip(server.why)
  const url = await createDatabase(server.url)
  const mayCreate = await withClient(url, async (client) => {
    const { rows } = await client.query<{ readonly may: boolean }>(
      'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
    )
    return rows[0]?.may ?? false
  })
  if (!mayCreate) return skip('the user of WAYSTATION_TEST_POSTGRES may not create roles')
  return {
    url,
    execute: (...statements: readonly string[]) => asAdministrator(url, ...statements),
    role: async (options: string): Promise<{ readonly name: string; readonly url: string }> => {
      const name = `waystation_test_${randomUUID().replaceAll('-', '')}`
      const login = options.includes('NOLOGIN') ? '' : `PASSWORD '${name}'`
      roles.add(name)
      await asAdministrator(url, `CREATE ROLE ${name} NOSUPERUSER NOCREATEROLE NOCREATEDB ${options} ${login}`)
      const own = new URL(url)
      own.username = name
      own.password = name
      return { name, url: own.href }
    },
  }
}

async function withStore(
  url: string,
  work: (store: PostgresStore, log: readonly string[]) => Promise<void>,
  /** Two days later, for housekeeping. */
  maxAgeMs: number | null = null,
): Promise<void> {
  const log: string[] = []
  const store = await openPostgresStore({
    url,
    name: `test-${randomUUID()}`,
    now: () => (maxAgeMs === null ? NOW : NOW + 48 * HOUR_MS),
    log: (line) => log.push(line),
    retention: { maxAgeMs, budgetBytes: null },
    partitionNumbers: 8,
  })
  try {
    await work(store, log)
  } finally {
    await store.close()
  }
}

/** Every kind of call of a collector, over several partitions. */
async function useAll(store: PostgresStore): Promise<void> {
  const lane = { publicKey: 'key', project: '1', lane: 0 }
  const { lanes } = await store.takeLanes([lane])
  for (let count = 0; count < 20; count += 1) {
    const answer = await store.append(submission({ receivedAt: NOW }))
    if (!('seq' in answer)) throw new Error('the store is full')
    await store.recordAttempt(accepted(answer.seq), lanes[0])
  }
  await store.append(submission({ receivedAt: NOW }))
  await store.saveSetting('relay', 'off')
  await store.countRefusal('too_large', 1000)
  expect(await store.probe()).toBe(true)
  expect((await store.follow({ n: 0, batch: null }, 1000))?.records.length).toBeGreaterThan(0)
  await store.decideWithoutAttempt((await store.head()) - 2, [{ item: -1, outcome: 'filtered', reason: 'none' }], [])
  const pending = await store.pending('key', '1', 0, 10)
  expect(
    await store.erase(
      pending.map(({ seq }) => seq),
      'cleared',
    ),
  ).toBe(pending.length)
  await store.releaseLane(lanes[0] ?? { ...lane, token: 0 })
}

const partitions = (url: string): Promise<readonly string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ readonly name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'waystation.records'::regclass ORDER BY inhrelid`,
    )
    return rows.map(({ name }) => name)
  })

describe.skipIf('why' in server)('a role without the rights of a superuser', () => {
  it('that owns the database creates the schema and does the housekeeping', async (context) => {
    const database = await emptyDatabase(context)
    const owner = await database.role('LOGIN')
    await database.execute(`ALTER DATABASE ${nameOfDatabase(database.url)} OWNER TO ${owner.name}`)
    await withStore(owner.url, useAll)
    const before = await partitions(database.url)
    await withStore(owner.url, (store) => store.runHousekeeping(), 24 * HOUR_MS)
    expect(await partitions(database.url)).not.toContain(before[0])
  })

  it('that owns only the schema creates the tables in it', async (context) => {
    const database = await emptyDatabase(context)
    const owner = await database.role('LOGIN')
    await database.execute(`CREATE SCHEMA waystation AUTHORIZATION ${owner.name}`)
    await withStore(owner.url, useAll)
  })

  it('that may not create the schema is refused with what to do', async (context) => {
    const database = await emptyDatabase(context)
    const stranger = await database.role('LOGIN')
    await expect(withStore(stranger.url, async () => undefined)).rejects.toThrow(
      /the role of WAYSTATION_STORE has too few rights .*permission denied.*let it own the schema/,
    )
    await withStore(database.url, async () => undefined)
    await expect(withStore(stranger.url, async () => undefined)).rejects.toThrow(/too few rights .*docs\/operate\.md/)
  })

  it('that acts as the owner shares partitions with others that do', async (context) => {
    const database = await emptyDatabase(context)
    const owner = await database.role('NOLOGIN')
    const logins = [
      await database.role(`LOGIN IN ROLE ${owner.name}`),
      await database.role(`LOGIN IN ROLE ${owner.name}`),
    ]
    await database.execute(
      `CREATE SCHEMA waystation AUTHORIZATION ${owner.name}`,
      ...logins.map(({ name }) => `ALTER ROLE ${name} SET role TO ${owner.name}`),
    )
    const [one, other] = logins
    await withStore(one?.url ?? '', useAll)
    const before = await partitions(database.url)
    await withStore(other?.url ?? '', (store) => store.runHousekeeping(), 24 * HOUR_MS)
    expect(await partitions(database.url)).not.toContain(before[0])
  })

  it('that owns nothing does all but the housekeeping, and says so', async (context) => {
    const database = await emptyDatabase(context)
    const owner = await database.role('LOGIN')
    const user = await database.role('LOGIN')
    await database.execute(`CREATE SCHEMA waystation AUTHORIZATION ${owner.name}`)
    await withStore(owner.url, async () => undefined)
    await database.execute(...RIGHTS(user.name))
    await withStore(user.url, useAll)
    await withStore(
      user.url,
      async (store, log) => {
        await store.runHousekeeping()
        await store.runHousekeeping()
        expect(log).toEqual([expect.stringMatching(/does not own the schema waystation/)])
      },
      24 * HOUR_MS,
    )
    const before = await partitions(database.url)
    expect(before.length).toBeGreaterThan(3)
    // The other collector has not taken the lease of the housekeeping.
    await withStore(owner.url, (store) => store.runHousekeeping(), 24 * HOUR_MS)
    expect(await partitions(database.url)).not.toContain(before[0])
  })
})
