import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

const created = new Set<string>()

/** Runs work with a connection that ends after it. */
export async function withClient<Value>(url: string, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * @param server the address of any database of it
 * @param template a database to copy, to which nobody is connected
 * @returns the address of a new database; an empty one without a template
 */
export async function createDatabase(server: string, template = 'template0'): Promise<string> {
  const name = `waystation_test_${randomUUID().replaceAll('-', '')}`
  // Copies files, which takes half of the time of a copy through the log.
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`))
  const url = new URL(server)
  url.pathname = `/${name}`
  created.add(url.href)
  return url.href
}

export const nameOfDatabase = (url: string): string => new URL(url).pathname.slice(1)

/** Drops the databases that were created on a server since the last call, with the connections to them. */
export async function dropDatabases(server: string): Promise<void> {
  const own = [...created].filter((url) => new URL(url).host === new URL(server).host)
  for (const url of own) created.delete(url)
  await withClient(server, async (client) => {
    for (const url of own) await client.query(`DROP DATABASE ${nameOfDatabase(url)} WITH (FORCE)`)
  })
}
