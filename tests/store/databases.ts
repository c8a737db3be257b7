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

/** @param server the address of any database of it @returns the address of a new, empty database */
export async function createDatabase(server: string): Promise<string> {
  const name = `waystation_test_${randomUUID().replaceAll('-', '')}`
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`))
  const url = new URL(server)
  url.pathname = `/${name}`
  created.add(url.href)
  return url.href
}

/** Drops the databases of this test file, with the connections to them. */
export async function dropDatabases(server: string): Promise<void> {
  await withClient(server, async (client) => {
    for (const url of created) await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
  })
  created.clear()
}
