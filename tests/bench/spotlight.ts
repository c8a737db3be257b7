import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../../collector/launch/child-process'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { BURST_SECONDS, closedLoop } from './ingest-bursts'
import type { HiredProcess } from './process-under-bench'
import { type LoadRun, runBare } from './run-load'

export interface SpotlightRun {
  readonly name: string
  readonly burst: LoadRun
}

/** With a hono that its own range does not always find. */
const PACKAGES = ['@spotlightjs/spotlight', 'hono@4.12.25']
const SIDECAR = `import { setupSpotlight } from '@spotlightjs/spotlight'
await setupSpotlight({ port: Number(process.argv[2]), isStandalone: true })
`
/** Nobody listens there: what its command would send of itself to its makers stays on this machine. */
const NOWHERE = 'http://127.0.0.1:9'
const START_MS = 20_000
const LOOK_MS = 100

/** Installs Spotlight into a temporary folder and sends the same bodies to it. @returns why not, where it cannot be. */
export async function measureSpotlight(
  sender: HiredProcess,
  say: (line: string) => void,
): Promise<Result<readonly SpotlightRun[], string>> {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-spotlight-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(folder, 'sidecar.js'), SIDECAR)
    say(`installing ${PACKAGES.join(' and ')} into ${folder}`)
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
  sender: HiredProcess,
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
    env: { ...process.env, NODE_ENV: 'production', https_proxy: NOWHERE, http_proxy: NOWHERE, no_proxy: '127.0.0.1' },
    graceMs: 0,
    onLine: (line) => lines.push(line),
    onMessage: () => undefined,
  })
  try {
    if (!(await isListening(port))) throw new Error(`it did not listen within ${START_MS} ms: ${lines.join('\n')}`)
    const order = {
      ...closedLoop({ via: 'socket' }, `http://127.0.0.1:${port}`, BURST_SECONDS, [[0, BURST_SECONDS]]),
      path: '/stream',
    }
    await sender.ask({ ...order, seconds: 1 })
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

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
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
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return false
}
