import type { TestProject } from 'vitest/node'
import { createCluster } from './cluster'

/** A PostgreSQL on which each test makes databases of its own, or the reason why there is none. */
export type TestServer = { readonly url: string } | { readonly why: string }

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgres: TestServer
  }
}

/**
 * Starts one PostgreSQL for all tests of the part. `WAYSTATION_TEST_POSTGRES`, the URL of a database whose user may create
 * databases, names a server to use instead.
 * @returns a function that ends it
 */
export async function setup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  const given = process.env.WAYSTATION_TEST_POSTGRES
  if (given !== undefined && given !== '') {
    provide('postgres', { url: given })
    return async () => undefined
  }
  const cluster = await createCluster(config.env?.TMPDIR)
  if ('why' in cluster) {
    console.log(`Tests on PostgreSQL are skipped: ${cluster.why}. Set WAYSTATION_TEST_POSTGRES to use a server.`)
    provide('postgres', cluster)
    return async () => undefined
  }
  await cluster.start()
  provide('postgres', { url: cluster.url() })
  return cluster.remove
}
