import { afterAll, beforeEach, inject } from 'vitest'
import { dropDatabases } from '../store/databases'

/** The project `flow-postgres`: skips its tests where no PostgreSQL can run, and drops the databases of each file. */
const server = inject('postgres')

beforeEach(({ skip }) => {
  if ('why' in server) skip(server.why)
})

// Runs after the hooks of the file, which end its collectors.
afterAll(async () => {
  if ('url' in server) await dropDatabases(server.url)
})
