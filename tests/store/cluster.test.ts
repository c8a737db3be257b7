import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Cluster, createCluster } from './cluster'
import { createDatabase, dropDatabases, withClient } from './databases'

const server = inject('postgres')

describe.skipIf('why' in server)('the shared server', () => {
  const url = 'url' in server ? server.url : ''

  it('makes an empty database for each request', async () => {
    const first = await createDatabase(url)
    const second = await createDatabase(url)
    await withClient(first, (client) => client.query('CREATE TABLE mark (value int)'))
    const tables = await withClient(second, (client) =>
      client.query("SELECT FROM information_schema.tables WHERE table_schema = 'public'"),
    )
    expect(tables.rowCount).toBe(0)
    await dropDatabases(url)
    await expect(withClient(first, (client) => client.query('SELECT 1'))).rejects.toMatchObject({ code: '3D000' })
  })
})

describe.skipIf('why' in server)('a cluster', () => {
  let cluster: Cluster

  beforeAll(async () => {
    const created = await createCluster()
    if ('why' in created) throw new Error(created.why)
    cluster = created
    await cluster.start()
    await withClient(cluster.url(), (client) => client.query('CREATE TABLE mark (value text)'))
  })
  afterAll(async () => {
    if (existsSync(cluster.folder)) await cluster.remove()
  })

  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)('keeps what was committed before %s', async (signal) => {
    await withClient(cluster.url(), (client) => client.query('INSERT INTO mark VALUES ($1)', [signal]))
    await cluster.stop(signal)
    await expect(withClient(cluster.url(), (client) => client.query('SELECT 1'))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
    await cluster.start()
    const { rows } = await withClient(cluster.url(), (client) =>
      client.query('SELECT value FROM mark WHERE value = $1', [signal]),
    )
    expect(rows).toEqual([{ value: signal }])
  })

  it('accepts connections on a Unix socket in its folder, and settings', async () => {
    await cluster.stop()
    await cluster.start({ work_mem: '5MB' })
    const shown = await withClient(cluster.url('postgres', 'socket'), (client) => client.query('SHOW work_mem'))
    expect(shown.rows).toEqual([{ work_mem: '5MB' }])
  })

  it('removes its folder', async () => {
    await cluster.remove()
    expect(existsSync(cluster.folder)).toBe(false)
  })
})
