import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE_MEMORY } from '../../collector/launch/start-collector'
import type { CollectorMessage } from '../../collector/main'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { errorEnvelope } from '../flow/envelopes'
import { retryWhileEvicting } from '../flow/retry-while-evicting'
import { isDigested } from './record'

/** A data folder that a test may damage between runs of the collector. */
export interface TestFolder {
  readonly folder: string
  readonly path: (name: string) => string
  /** Starts a collector. @throws with its output when it does not become ready. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<RunningCollector>
  /** Starts a collector that is expected to refuse the folder; resolves with its end. */
  readonly refuse: (env?: Readonly<Record<string, string>>) => Promise<End>
}

export interface RunningCollector extends CollectorRun {
  readonly url: string
  readonly client: CollectorClient
  /** Posts envelopes of this many incompressible characters each. @throws when one is not answered with 200. */
  readonly fill: (count: number, characters?: number) => Promise<void>
  /** Posts envelopes until pending ones fill their share of the disk. */
  readonly fillBacklog: (characters: number) => Promise<void>
  readonly post: () => Promise<Response>
  /** Resolves when the index covers everything that was received. */
  readonly digested: () => Promise<void>
  readonly stop: () => Promise<End>
  readonly kill: () => Promise<End>
  /** Resolves when it ended, without a stop. */
  readonly exited: () => Promise<End>
}

export interface End {
  readonly code: number | null
  readonly output: string
}

/** Matches a stack trace: messages for users must have none. */
export const A_STACK = /^\s+at |Unhandled|node:internal/m

const runs = new Set<CollectorRun>()
const folders = new Set<string>()

/** Ends the collectors and removes the folders of a test. */
export const cleanUp = (): Promise<void> => cleanUpExcept(null)

/** The same, but keeps a folder that later tests copy. */
export async function cleanUpExcept(kept: string | null): Promise<void> {
  for (const run of runs) run.end('SIGKILL')
  // A collector that still writes would leave files behind.
  await Promise.all([...runs].map(({ ended }) => ended))
  runs.clear()
  for (const folder of folders) {
    if (folder === kept) continue
    rmSync(folder, { recursive: true, force: true })
    folders.delete(folder)
  }
}

export function newTestFolder(program: string, folder = temporaryFolder()): TestFolder {
  const start = (env: Readonly<Record<string, string>>): CollectorRun => {
    const run = startRun(program, {
      WAYSTATION_DATA: folder,
      WAYSTATION_PORT: '0',
      WAYSTATION_OTLP_PORT: 'off',
      ...env,
    })
    runs.add(run)
    void run.ended.then(() => runs.delete(run))
    return run
  }
  return {
    folder,
    path: (name) => join(folder, name),
    start: async (env = {}) => {
      const run = start(env)
      const url = await run.ready
      if (url === null) throw new Error(`the collector did not start: ${(await endOf(run)).output}`)
      return runningCollector(run, url, folder)
    },
    refuse: (env = {}) => endOf(start(env)),
  }
}

function runningCollector(run: CollectorRun, url: string, folder: string): RunningCollector {
  const client = collectorClient(url, fetch)
  const post = async (characters = 10): Promise<Response> => {
    const { localDsn } = await client.overview()
    const message = Array.from({ length: Math.ceil(characters / 11) }, () => Math.random().toString(36).slice(2)).join(
      '',
    )
    return fetch(`${url}/tunnel`, { method: 'POST', body: errorEnvelope(localDsn, { message }).body })
  }
  const ending = (signal: NodeJS.Signals) => (): Promise<End> => {
    run.end(signal)
    return endOf(run)
  }
  return {
    ...run,
    url,
    client,
    post: () => post(),
    fill: async (count, characters) => {
      for (let index = 0; index < count; index += 1) {
        const { status } = await retryWhileEvicting(() => post(characters))
        if (status !== 200) throw new Error(`envelope ${index + 1} of ${count} was answered ${status}`)
      }
    },
    fillBacklog: async (characters) => {
      for (let status = 200; status !== 503; ) {
        ;({ status } = await retryWhileEvicting(() => post(characters)))
        if (status !== 200 && status !== 503) throw new Error(`an envelope was answered ${status}`)
      }
    },
    digested: async () => {
      const deadline = Date.now() + 20_000
      for (; !isDigested(folder); await client.overview())
        if (Date.now() > deadline) throw new Error('the collector did not digest every envelope within 20 s')
    },
    stop: ending('SIGTERM'),
    kill: ending('SIGKILL'),
    exited: () => endOf(run),
  }
}

async function endOf(run: CollectorRun): Promise<End> {
  const { code } = await run.ended
  return { code, output: run.output() }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-damage-'))
  folders.add(folder)
  return folder
}

/** Whether this user may mount file systems. */
export function mayMount(): boolean {
  const folder = temporaryFolder()
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0
  if (isMounted) execFileSync('umount', [folder])
  return isMounted
}

/** Runs statements in another process, which keeps the database open. @returns a function that ends the process. */
export async function lockDatabase(path: string, statements: readonly string[]): Promise<() => Promise<void>> {
  const program = `
    const db = new (require('better-sqlite3'))(process.argv[1])
    for (const statement of JSON.parse(process.argv[2])) db.exec(statement)
    console.log('locked')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', program, path, JSON.stringify(statements)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    void ended.then(() => reject(new Error(`${path} could not be locked`)))
  })
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

/** One run of a collector process, from its start to its end. */
export interface CollectorRun {
  /** Its URL when it is ready; `null` if it ended before. */
  readonly ready: Promise<string | null>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly pid: number
  readonly end: (signal: NodeJS.Signals) => void
  /** Its output so far. */
  readonly output: () => string
}

/** Starts a bundled collector with only these variables and the PATH. @param under a command to run it under, such as strace. */
export function startRun(
  program: string,
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): CollectorRun {
  const [command = process.execPath, ...args] = [...under, process.execPath, program]
  const child = spawn(command, args, {
    env: { ...NATIVE_MEMORY, NODE_ENV: 'production', PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  const note = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const ended = new Promise<Awaited<CollectorRun['ended']>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const ready = new Promise<string | null>((resolve) => {
    child.on('message', (news: CollectorMessage) => resolve(news.type === 'ready' ? news.url : null))
    void ended.then(() => resolve(null))
  })
  return { ready, ended, pid: child.pid ?? 0, end: (signal) => void child.kill(signal), output: () => output }
}
