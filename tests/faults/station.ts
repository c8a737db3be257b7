import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { errorEnvelope } from '../flow/envelopes'
import { onceRoomIsMade } from '../flow/once-room-is-made'
import { isDigested } from './digested'
import { beginLife, type Life } from './life'

/** A collector on a data folder that a test may damage between its lives. */
export interface Station {
  readonly folder: string
  readonly path: (name: string) => string
  /** Starts it. @throws what it printed, when it does not take envelopes. */
  readonly begin: (env?: Readonly<Record<string, string>>) => Promise<RunningLife>
  /** Starts one that is expected to end by itself; resolves with how it ended. */
  readonly refuse: (env?: Readonly<Record<string, string>>) => Promise<End>
}

export interface RunningLife extends Life {
  readonly url: string
  readonly client: CollectorClient
  /** Posts so many envelopes, each with so many incompressible characters; all must be taken, once there is room. */
  readonly fill: (count: number, characters?: number) => Promise<void>
  readonly post: () => Promise<Response>
  /** Resolves when the rows cover everything that was received. */
  readonly digested: () => Promise<void>
  readonly stop: () => Promise<End>
  readonly kill: () => Promise<End>
  readonly endsByItself: () => Promise<End>
}

export interface End {
  readonly code: number | null
  readonly output: string
}

/** Nobody reads a stack: what happened has to be said in a sentence. */
export const A_STACK = /^\s+at |Unhandled|node:internal/m

const alive = new Set<Life>()
const folders = new Set<string>()

/** Ends what a test left behind. */
export async function tidy(): Promise<void> {
  for (const life of alive) life.end('SIGKILL')
  // One that still writes would leave files behind.
  await Promise.all([...alive].map(({ ended }) => ended))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  alive.clear()
  folders.clear()
}

export function newStation(program: string, folder = temporaryFolder()): Station {
  const start = (env: Readonly<Record<string, string>>): Life => {
    const life = beginLife(program, { WAYSTATION_DATA: folder, WAYSTATION_PORT: '0', ...env })
    alive.add(life)
    void life.ended.then(() => alive.delete(life))
    return life
  }
  return {
    folder,
    path: (name) => join(folder, name),
    begin: async (env = {}) => {
      const life = start(env)
      const url = await life.ready
      if (url === null) throw new Error(`the collector did not start: ${(await endOf(life)).output}`)
      return running(life, url, folder)
    },
    refuse: (env = {}) => endOf(start(env)),
  }
}

function running(life: Life, url: string, folder: string): RunningLife {
  const client = collectorClient(url, fetch)
  const post = async (characters = 10): Promise<Response> => {
    const { localDsn } = await client.overview()
    const message = Array.from({ length: Math.ceil(characters / 11) }, () => Math.random().toString(36).slice(2)).join(
      '',
    )
    return fetch(`${url}/tunnel`, { method: 'POST', body: errorEnvelope(localDsn, { message }).body })
  }
  const ending = (signal: NodeJS.Signals) => (): Promise<End> => {
    life.end(signal)
    return endOf(life)
  }
  return {
    ...life,
    url,
    client,
    post: () => post(),
    fill: async (count, characters) => {
      for (let index = 0; index < count; index += 1) {
        const { status } = await onceRoomIsMade(() => post(characters))
        if (status !== 200) throw new Error(`envelope ${index + 1} of ${count} was answered ${status}`)
      }
    },
    digested: async () => {
      const deadline = Date.now() + 20_000
      for (; !isDigested(folder); await client.overview())
        if (Date.now() > deadline) throw new Error('not everything was digested within 20 s')
    },
    stop: ending('SIGTERM'),
    kill: ending('SIGKILL'),
    endsByItself: () => endOf(life),
  }
}

async function endOf(life: Life): Promise<End> {
  const { code } = await life.ended
  return { code, output: life.output() }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-damage-'))
  folders.add(folder)
  return folder
}

/** Another program that has a database open. Resolves when its statements have run; they hold until it is let go. */
export async function holdDatabase(path: string, statements: readonly string[]): Promise<() => Promise<void>> {
  const program = `
    const db = new (require('better-sqlite3'))(process.argv[1])
    for (const statement of JSON.parse(process.argv[2])) db.exec(statement)
    console.log('held')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', program, path, JSON.stringify(statements)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    void ended.then(() => reject(new Error(`${path} could not be held`)))
  })
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}
