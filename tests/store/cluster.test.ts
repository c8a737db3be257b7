import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { build } from 'esbuild'
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

/** Starts a cluster, prints its folder, and waits. */
const PROGRAM = `
  import { createCluster } from './cluster'
  const cluster = await createCluster()
  if ('why' in cluster) throw new Error(cluster.why)
  await cluster.start()
  console.log(cluster.folder)
  setInterval(() => undefined, 60_000)`

it.skipIf('why' in server)('a cluster ends, and its folder goes, when the process that uses it is killed', async () => {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    // The program has no file of its own from which it could find packages.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  })
  const program = outputFiles[0]?.text ?? ''
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(child.stdout, 'data')
  const folder = String(printed).trim()
  expect(existsSync(folder)).toBe(true)
  child.kill('SIGKILL')
  await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false)
})
