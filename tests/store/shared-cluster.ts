import type { TestProject } from 'vitest/node'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { createCluster } from './cluster'
import { createDatabase, dropDatabases, nameOfDatabase } from './databases'

/** A PostgreSQL on which each test makes databases of its own, or the reason why there is none. */
export type TestServer =
  | {
      readonly url: string
      /** The name of a database that has an empty store. */
      readonly template: string
    }
  | { readonly why: string }

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgres: TestServer
  }
}

/**
 * Starts one PostgreSQL for all tests of the part. `WAYSTATION_TEST_POSTGRES`, the URL of a database whose user may create
 * databases, names a server to use instead: of version 15 or newer.
 * @returns a function that ends it
 */
export async function setup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  const given = process.env.WAYSTATION_TEST_POSTGRES
  if (given !== undefined && given !== '') {
    provide('postgres', { url: given, template: await createTemplate(given) })
    return () => dropDatabases(given)
  }
  const cluster = await createCluster(config.env?.TMPDIR)
  if ('why' in cluster) {
    console.log(`Tests on PostgreSQL are skipped: ${cluster.why}. Set WAYSTATION_TEST_POSTGRES to use a server.`)
    provide('postgres', cluster)
    return async () => undefined
  }
  await cluster.start()
  const url = cluster.url()
  provide('postgres', { url, template: await createTemplate(url) })
  return cluster.remove
}

/** Most tests copy this one, because the tables of a store take longer to create than to copy. */
async function createTemplate(server: string): Promise<string> {
  const url = await createDatabase(server)
  const store = await openPostgresStore({ url, name: 'template', now: Date.now, log: () => undefined })
  await store.close()
  return nameOfDatabase(url)
}
