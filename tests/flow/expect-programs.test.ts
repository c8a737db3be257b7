import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type CollectorProcess,
  endCollectors,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { transactionEnvelope } from './envelopes'

const PROGRAMS = fileURLToPath(new URL('../fixtures/expect-programs', import.meta.url))
const isInstalled = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const hasPytest = isInstalled('python3', '-m', 'pytest', '--version')
const hasGo = isInstalled('go', 'version')

let shop: Server | null = null
afterEach(() => {
  shop?.close()
  endCollectors()
})

/** Answers each request and reports it with the stamp of the request, as a server with an SDK does. */
async function startShop(collector: CollectorProcess, ops: { readonly child: string }): Promise<string> {
  shop = createServer((request, response) => {
    const stamp = String(request.headers['x-waystation-stamp'])
    const made = transactionEnvelope(collector.dsn, { name: `GET ${request.url}`, op: 'http.server', children: 1 })
    const body = made.body.replace('"op":"http.client"', `"op":"${ops.child}"`)
    void postEnvelope(collector, body, { 'x-waystation-stamp': stamp }).then(() => response.end('thank you'))
  })
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
}

/** A `waystation` on the PATH of the program, made of the bundle that is under test. */
function installCommand(folder: string): string {
  const bundle = join(process.env.WAYSTATION_BUILD ?? '', 'collector')
  const file = join(folder, 'waystation')
  const code = `#!${process.execPath}
    const name = process.argv[2]
    import(${JSON.stringify(bundle)} + '/' + name + '.js').then(async ({ command }) => {
      const stop = { first: new AbortController().signal }
      process.exit(await command({ root: ${JSON.stringify(folder)}, bundles: '', words: process.argv.slice(2), stop, packaged: true }))
    })\n`
  writeFileSync(file, code, { mode: 0o755 })
  return file
}

async function runProgram(
  file: string,
  command: readonly [string, ...string[]],
  child: string,
): Promise<{ readonly code: number | null; readonly out: string }> {
  const folder = join(temporaryFolder(), 'program')
  mkdirSync(folder)
  cpSync(join(PROGRAMS, file), join(folder, file))
  const collector = await startCollector()
  const env = {
    NODE_ENV: 'production' as const,
    PATH: process.env.PATH,
    HOME: folder,
    SHOP_URL: await startShop(collector, { child }),
    WAYSTATION: installCommand(folder),
    WAYSTATION_COLLECTOR_URL: collector.url,
  }
  const [program, ...args] = command
  const running = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
  const [code] = (await once(running, 'close')) as [number | null]
  return { code, out }
}

const PYTEST = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_checkout.py'] as const

describe.skipIf(!hasPytest)('the pytest example (skipped where python3 has no pytest)', () => {
  it('passes when the trace reaches the database', async () => {
    expect(await runProgram('test_checkout.py', PYTEST, 'db.query')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 passed'),
    })
  })

  it('fails with the nearest miss when it does not', async () => {
    const { code, out } = await runProgram('test_checkout.py', PYTEST, 'http.client')
    expect(out).toContain('found 1 of 2: http.server GET /checkout')
    expect(code).toBe(1)
  })
})

describe.skipIf(!hasGo)('the Go example (skipped where Go is not installed)', () => {
  const GO = ['go', 'test', 'checkout_test.go'] as const

  it('passes when the trace reaches the database', async () => {
    expect(await runProgram('checkout_test.go', GO, 'db.query')).toMatchObject({ code: 0 })
  })

  it('fails with the nearest miss when it does not', async () => {
    const { code, out } = await runProgram('checkout_test.go', GO, 'http.client')
    expect(out).toContain('found 1 of 2: http.server GET /checkout')
    expect(code).toBe(1)
  })
})
