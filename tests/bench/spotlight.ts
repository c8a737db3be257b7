import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../../collector/launch/child-process'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { sleep } from '../../lib/time'
import { freePort } from '../unit/tunnel/recording-collector'
import { BURST_SECONDS } from './ingest-bursts'
import type { BenchProcess } from './processes'
import { closedLoop, type LoadRun, runBare } from './run-load'

export interface SpotlightRun {
  readonly name: string
  readonly burst: LoadRun
}

/** Pins hono, because npm does not always resolve the range of Spotlight. */
const PACKAGES = ['@spotlightjs/spotlight', 'hono@4.12.25']
const SIDECAR = `import { setupSpotlight } from '@spotlightjs/spotlight'
await setupSpotlight({ port: Number(process.argv[2]), isStandalone: true })
`
/** A closed port as proxy, so that Spotlight sends no usage data to its makers. */
const CLOSED_PROXY = 'http://127.0.0.1:9'
const START_MS = 20_000
const POLL_MS = 100

/** Installs Spotlight into a temporary folder and sends the same bodies to it. @returns the reason when that fails */
export async function measureSpotlight(
  sender: BenchProcess,
  log: (line: string) => void,
): Promise<Result<readonly SpotlightRun[], string>> {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-spotlight-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(folder, 'sidecar.js'), SIDECAR)
    log(`installing ${PACKAGES.join(' and ')} into ${folder}`)
    const code = await install(folder)
    if (code !== 0) return fail(`npm install ended with code ${code}`)
    const command = join(folder, 'node_modules/@spotlightjs/spotlight/dist/run.js')
    const runs: SpotlightRun[] = []
    for (const [name, script, argsAt] of [
      ['Spotlight, its sidecar, burst', join(folder, 'sidecar.js'), (port: number) => [String(port)]],
      ['Spotlight, its command, burst', command, (port: number) => ['server', '--port', String(port)]],
    ] as const)
      runs.push({ name, burst: await burst(sender, folder, script, argsAt) })
    return succeed(runs)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function burst(
  sender: BenchProcess,
  folder: string,
  script: string,
  argsAt: (port: number) => readonly string[],
): Promise<LoadRun> {
  const port = await freePort()
  const lines: string[] = []
  const child = startChild({
    nodeFlags: [],
    script,
    args: argsAt(port),
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      https_proxy: CLOSED_PROXY,
      http_proxy: CLOSED_PROXY,
      no_proxy: '127.0.0.1',
    },
    graceMs: 0,
    onLine: (line) => lines.push(line),
    onMessage: () => undefined,
  })
  try {
    if (!(await isListening(port)))
      throw new Error(`Spotlight did not listen on port ${port} within ${START_MS} ms: ${lines.join('\n')}`)
    const order = {
      ...closedLoop({ via: 'socket' }, `http://127.0.0.1:${port}`, BURST_SECONDS, [[0, BURST_SECONDS]]),
      path: '/stream',
    }
    await sender.request({ ...order, seconds: 1 })
    return await runBare(sender, child, order)
  } finally {
    child.kill()
    await child.exited
  }
}

const install = (cwd: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES], {
      cwd,
      stdio: 'inherit',
    })
    npm.once('error', reject)
    npm.once('exit', resolve)
  })

async function isListening(port: number): Promise<boolean> {
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port })
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isThere) return true
    await sleep(POLL_MS)
  }
  return false
}
