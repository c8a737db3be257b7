import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { digested, endCollectors, postEnvelope, startCollector, temporaryFolder } from './collector-process'
import { errorEnvelope } from './envelopes'
import { madeRequest, postOtlp } from './otlp-posts'

afterEach(endCollectors)

/** Runs the bundled command without the set-up. */
async function redigest(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const folder = join(process.env.WAYSTATION_BUILD ?? '', 'collector')
  const program = `
    import { redigest } from ${JSON.stringify(pathToFileURL(join(folder, 'redigest.js')).href)}
    const never = new AbortController().signal
    process.exit(await redigest({ root: ${JSON.stringify(temporaryFolder())}, folder: ${JSON.stringify(folder)}, stop: { first: never, again: never } }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

describe('npm run redigest', () => {
  it('rebuilds the index of a running collector, and prints count and duration', async () => {
    const collector = await startCollector()
    for (let sent = 0; sent < 30; sent += 1) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await digested(collector, 30)
    const { code, output } = await redigest({
      WAYSTATION_PORT: new URL(collector.url).port,
      WAYSTATION_DATA: collector.folder,
    })
    expect(output).toMatch(/The index is rebuilt from 30 envelopes in \d+\.\d s\.\n$/)
    expect(code).toBe(0)
  })

  it('starts a collector that relays nothing when none runs, and stops it', async () => {
    const upstreams = { WAYSTATION_UPSTREAM: 'http://k@127.0.0.1:9/1', WAYSTATION_OTLP_UPSTREAM: 'http://127.0.0.1:9' }
    const silent = await startCollector(upstreams)
    for (let sent = 0; sent < 5; sent += 1) await postEnvelope(silent, errorEnvelope(silent.dsn).body)
    await postOtlp(silent, { signal: 'traces', body: madeRequest('traces', 'json').body })
    await digested(silent, 6)
    await silent.kill()
    const deliveries = () => {
      const db = new Database(join(silent.folder, 'spool.db'), { readonly: true })
      try {
        return db
          .prepare(
            'SELECT (SELECT count(*) FROM pending_deliveries) AS pending, (SELECT count(*) FROM deliveries) AS tried',
          )
          .get()
      } finally {
        db.close()
      }
    }
    const before = deliveries()
    const { code, output } = await redigest({
      WAYSTATION_PORT: new URL(silent.url).port,
      WAYSTATION_DATA: silent.folder,
      ...upstreams,
    })
    expect(output).toMatch(/The index is rebuilt from 6 envelopes in \d+\.\d s\.\n$/)
    expect(code).toBe(0)
    expect(before).toMatchObject({ pending: 6 })
    expect(deliveries()).toEqual(before)
    expect(existsSync(join(silent.folder, 'telemetry.db-wal'))).toBe(false)
  })

  it('exits with 2 for a wrong variable, and with 1 when another program answers or uses the folder', async () => {
    expect(await redigest({ WAYSTATION_PORT: 'eight' })).toMatchObject({
      code: 2,
      output: expect.stringContaining('WAYSTATION_PORT'),
    })
    const collector = await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' })
    const port = new URL(collector.url).port
    expect(await redigest({ WAYSTATION_PORT: port })).toMatchObject({
      code: 1,
      output: expect.stringContaining('requires authentication'),
    })
    expect(await redigest({ WAYSTATION_PORT: '9', WAYSTATION_DATA: collector.folder })).toMatchObject({
      code: 1,
      output: expect.stringContaining('another Waystation is using'),
    })
  })
})
