import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import type { CollectorMessage } from '../../collector/main'
import { collectorClient } from '../../lib/wire/collector-client'
import { itemsPageSchema, journalPageSchema } from '../../lib/wire/journal'
import { createDatabase } from '../store/databases'
import type { TestServer } from '../store/shared-cluster'

/** A real collector: the built program in its own process, with its own port and folder. */
export interface CollectorProcess {
  readonly url: string
  readonly dsn: string
  readonly folder: string
  readonly pid: number
  /** Everything that it printed so far. */
  readonly output: () => string
  /** Sends SIGKILL; resolves when the process has ended. */
  readonly kill: () => Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  readonly stop: () => Promise<number | null>
  /** Starts a collector with the same folder and port. */
  readonly restart: (env?: Record<string, string>) => Promise<CollectorProcess>
}

const running = new Set<ChildProcess>()
const folders = new Set<string>()

/** Kills the collectors that tests left running, and removes their folders. */
export function endCollectors(): void {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  running.clear()
  folders.clear()
}

function programPath(): string {
  const build = process.env.WAYSTATION_BUILD
  const path = join(build ?? '', 'collector', 'main.js')
  if (build === undefined || !existsSync(path))
    throw new Error(`there is no built collector at ${path}: run the tests by npm test, which builds it`)
  return path
}

/** The databases of data folders, by folder. */
const databases = new Map<string, Promise<string>>()

/** The server of the project `flow-postgres`; other projects have none. */
function postgresServer(): Extract<TestServer, { readonly url: string }> | null {
  const server = inject('postgres') as TestServer | undefined
  return server === undefined || 'why' in server ? null : server
}

/** Whether the collectors of this project share a record in PostgreSQL, and have a mirror. */
export const isShared = (): boolean => postgresServer() !== null

/** With a server, each data folder has a record in a database of its own, which outlives restarts. */
async function storeOf(folder: string): Promise<Record<string, string>> {
  const server = postgresServer()
  if (server === null) return {}
  const database = databases.get(folder) ?? createDatabase(server.url, server.template)
  databases.set(folder, database)
  return { WAYSTATION_STORE: await database }
}

/** Starts a collector, or rejects with its error message. */
export async function startCollector(
  env: Record<string, string> = {},
  folder = temporaryFolder(),
): Promise<CollectorProcess> {
  const store = await storeOf(env.WAYSTATION_DATA ?? folder)
  const child = spawn(process.execPath, [programPath()], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      WAYSTATION_PORT: '0',
      // Tests run next to each other, and next to a collector of the developer.
      WAYSTATION_OTLP_PORT: 'off',
      WAYSTATION_DATA: folder,
      ...store,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let output = ''
  const note = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      running.delete(child)
      resolve(code)
    })
  })
  const ready = await new Promise<Extract<CollectorMessage, { type: 'ready' }>>((resolve, reject) => {
    child.on('message', (news: CollectorMessage) =>
      news.type === 'ready' ? resolve(news) : reject(new Error(news.message)),
    )
    void ended.then((code) => reject(new Error(`the collector ended with code ${code}: ${output}`)))
  })
  const port = new URL(ready.url).port
  return {
    url: ready.url,
    dsn: ready.localDsn,
    folder,
    pid: child.pid ?? 0,
    output: () => output,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: async () => {
      child.kill('SIGTERM')
      return ended
    },
    restart: (again = {}) => startCollector({ ...env, WAYSTATION_PORT: port, ...again }, folder),
  }
}

/**
 * One collector for several tests of a file. They tell their telemetry apart by stamps, names, or numbers after `journalOf`.
 * @returns a function that returns it, in tests and in later hooks
 */
export function sharedCollector(env: Record<string, string> = {}): () => CollectorProcess {
  let shared: CollectorProcess | null = null
  beforeAll(async () => {
    shared = await startCollector(env)
  })
  afterAll(endCollectors)
  return () => {
    if (shared === null) throw new Error('the shared collector has not started yet')
    return shared
  }
}

/** The number of the newest fact. */
export const journalOf = async ({ url }: Pick<CollectorProcess, 'url'>): Promise<number> =>
  (await collectorClient(url, fetch).overview()).journal

/** The number of the newest submission; 0 without one. */
export const newestSeq = async (collector: Pick<CollectorProcess, 'url'>): Promise<number> =>
  (await receivedSeqs(collector)).at(-1) ?? 0

/** The numbers of all submissions, oldest first. Only in SQLite each is one more than the one before it. */
export async function receivedSeqs({ url }: Pick<CollectorProcess, 'url'>): Promise<readonly number[]> {
  const seqs: number[] = []
  for (let after = 0; ; ) {
    const { facts, next } = journalPageSchema.parse(await (await fetch(`${url}/query/journal?after=${after}`)).json())
    if (facts.length === 0) return seqs
    for (const { kind, seq } of facts) if (kind === 'received' && seq !== null) seqs.push(seq)
    after = next
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-flow-'))
  folders.add(folder)
  return folder
}

/** Posts an envelope to the tunnel's endpoint. */
export const postEnvelope = (
  collector: Pick<CollectorProcess, 'url'>,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(`${collector.url}/tunnel`, { method: 'POST', body: body as string, headers })

/** Resolves when everything received so far has been digested. */
export async function digested(collector: Pick<CollectorProcess, 'url'>, count: number): Promise<void> {
  let seen = 0
  let after = 0
  while (seen < count) {
    const page = itemsPageSchema.parse(
      await (await fetch(`${collector.url}/query/items?after=${after}&wait=20`)).json(),
    )
    if (page.items.length === 0) throw new Error(`only ${seen} of ${count} items were digested within 20 s`)
    seen += page.items.length
    after = page.next
  }
}

/** Resolves when everything up to this submission is digested. */
export async function digestedUpTo(collector: Pick<CollectorProcess, 'url'>, seq: number): Promise<void> {
  if (isShared()) return digestedInMirror(collector, seq)
  for (let after = 0; seq > 0; ) {
    const answer = await fetch(`${collector.url}/query/journal?after=${after}&wait=20`)
    const { facts, next } = journalPageSchema.parse(await answer.json())
    if (facts.some((fact) => fact.kind === 'digested' && (fact.seq ?? 0) >= seq)) return
    if (facts.length === 0) throw new Error(`${seq} was not digested within 20 s`)
    after = next
  }
}

/** The journal of a shared record has no facts about the digest of one collector. */
async function digestedInMirror({ url }: Pick<CollectorProcess, 'url'>, seq: number): Promise<void> {
  const stateOf = async () => (await collectorClient(url, fetch).envelope(seq))?.digest ?? 'deleted'
  await expect.poll(stateOf).not.toBe('pending')
}

/** Resolves with the first journal fact of a kind after a number. */
export async function factAfter(collector: Pick<CollectorProcess, 'url'>, kind: string, after = 0): Promise<number> {
  for (let from = after; ; ) {
    const page = journalPageSchema.parse(
      await (await fetch(`${collector.url}/query/journal?after=${from}&wait=20`)).json(),
    )
    const found = page.facts.find((fact) => fact.kind === kind)
    if (found !== undefined) return found.n
    const last = page.facts.at(-1)
    if (last === undefined) throw new Error(`no ${kind} within 20 s after ${from}`)
    from = last.n
  }
}
