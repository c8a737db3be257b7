import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import type { Client } from 'pg'
import { type TestContext, vi } from 'vitest'
import { anyFreePort } from '../../collector/launch/ports'
import { type Cluster, createCluster } from '../store/cluster'
import { withClient } from '../store/databases'
import type { Random } from './random'
import { isDigested } from './record'
import { type Load, type Senders, startSenders } from './senders'
import { checkSharedRecord, type SharedResult } from './shared-oracle'
import { type CollectorRun, startRun, temporaryFolder } from './test-folder'
import { type CountingUpstream, startUpstream } from './upstream'

/** Starts that end by themselves in a row, before the test gives up. */
const MOST_RESTARTS = 60

/** A collector process of a shared record. As under its supervisor, it starts again when it ends by itself. */
export class SharedCollector {
  readonly folder = temporaryFolder()
  readonly url: string
  readonly #program: string
  readonly #env: Readonly<Record<string, string>>
  #run: CollectorRun
  /** Output of each process that had become ready and ended by itself. */
  readonly endings: string[] = []
  #isEnding = false
  #restarts = 0

  constructor(program: string, env: Readonly<Record<string, string>>, port: number) {
    this.url = `http://127.0.0.1:${port}`
    this.#program = program
    this.#env = { ...env, WAYSTATION_DATA: this.folder, WAYSTATION_PORT: String(port) }
    this.#run = this.#start()
  }

  get pid(): number {
    return this.#run.pid
  }

  /** The test stopped or killed it. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** Everything that its newest process printed. */
  get output(): string {
    return this.#run.output()
  }

  /** Resolves when it takes envelopes. @throws with its output when it does not start */
  async ready(): Promise<void> {
    for (;;) {
      const run = this.#run
      if ((await run.ready) !== null) return
      await run.ended
      if (this.#isEnding || this.#restarts > MOST_RESTARTS)
        throw new Error(`a collector of the shared record did not start: ${run.output()}`)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#run.end(signal)
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    await this.ready()
    return this.#end('SIGTERM')
  }

  /** After `stop` or `kill`. */
  async startAgain(): Promise<void> {
    this.#isEnding = false
    this.#run = this.#start()
    await this.ready()
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    this.#isEnding = true
    this.#run.end(signal)
    return (await this.#run.ended).code
  }

  #start(): CollectorRun {
    const run = startRun(this.#program, this.#env)
    void run.ended.then(() => {
      if (this.#isEnding || this.#run !== run || this.#restarts > MOST_RESTARTS) return
      this.#restarts += 1
      // One that does not become ready found PostgreSQL away.
      void run.ready.then((url) => url !== null && this.endings.push(run.output()))
      this.#run = this.#start()
    })
    return run
  }
}

/** Collectors of one record, an upstream, and senders. */
export interface SharedSetUp {
  readonly collectors: readonly SharedCollector[]
  readonly upstream: CountingUpstream
  readonly senders: Senders
  /** The collector that owns the lane of upstream; `null` while none does. */
  readonly owner: () => Promise<SharedCollector | null>
  /**
   * The owner that keeps the lane: the oldest, once all take part; `null` before. Another one that was faster to take it
   * gives it back some seconds later.
   */
  readonly lastingOwner: () => Promise<SharedCollector | null>
  /** Bodies that arrived upstream and whose result is not stored. */
  readonly openPosts: () => Promise<number>
  /** Stops the senders, waits until everything is delivered and mirrored, stops the collectors, and checks all. */
  readonly finish: () => Promise<SharedResult & { readonly endings: readonly string[] }>
  /** Ends what is left. */
  readonly close: () => Promise<void>
}

interface SetUpOptions {
  readonly program: string
  readonly draw: Random
  /** The database, for the collectors. */
  readonly store: string
  /** The same, past any proxy. */
  readonly database: () => string
  readonly count: number
  readonly load?: Load
  /** One answer of upstream in four is delayed by up to this. */
  readonly slowMs?: number
}

export async function setUpShared(options: SetUpOptions): Promise<SharedSetUp> {
  const { program, draw, store, database, count, load, slowMs } = options
  const upstream = await startUpstream(draw, slowMs)
  const env = { WAYSTATION_STORE: store, WAYSTATION_UPSTREAM: upstream.dsn, WAYSTATION_OTLP_PORT: 'off' }
  const collectors: SharedCollector[] = []
  for (let started = 0; started < count; started += 1)
    collectors.push(new SharedCollector(program, env, await anyFreePort(['127.0.0.1'])))
  const senders = startSenders(draw, upstream.dsn, load)
  const read = <Row>(sql: string): Promise<Row[]> =>
    withClient(database(), async (client: Client) => (await client.query(sql)).rows)
  await Promise.all(collectors.map((collector) => collector.ready()))
  senders.setTargets(collectors.map(({ url }) => url))

  const finish: SharedSetUp['finish'] = async () => {
    await senders.stop()
    const running = collectors.filter(({ isEnding }) => !isEnding)
    await Promise.all(running.map((collector) => collector.ready()))
    await untilDrained(read, running)
    const codes = await Promise.all(running.map((collector) => collector.stop()))
    const folders = running.map(({ folder }) => folder)
    const result = await checkSharedRecord({ read, senders, upstream, folders })
    const broken = codes.flatMap((code, at) =>
      code === 0 ? [] : [`a stop ended with code ${code}: ${running[at]?.output}`],
    )
    const endings = collectors.flatMap((one) => one.endings)
    return { ...result, broken: [...result.broken, ...broken], endings }
  }
  const ownerWhere = async (condition: string): Promise<SharedCollector | null> => {
    const [row] = await read<{ name: string }>(
      `SELECT c.name FROM waystation.lanes l JOIN waystation.collectors c ON c.id = l.owner
        WHERE l.until > clock_timestamp() AND ${condition}`,
    )
    return collectors.find(({ pid }) => row?.name.includes(` ${pid} `)) ?? null
  }
  return {
    collectors,
    upstream,
    senders,
    owner: () => ownerWhere('true'),
    lastingOwner: () =>
      ownerWhere(
        `(SELECT count(*) = ${count} AND min(id) = l.owner FROM waystation.collectors WHERE relayed_at > '-infinity')`,
      ),
    openPosts: async () => {
      const pending = await read<{ stamp: string }>(
        'SELECT stamp FROM waystation.pending_deliveries JOIN waystation.records USING (seq)',
      )
      const stamps = new Set(pending.map(({ stamp }) => stamp))
      return [...senders.sent.values()].filter(({ id, sha256 }) => stamps.has(id) && upstream.arrivals.has(sha256))
        .length
    },
    finish,
    close: async () => {
      await Promise.all(collectors.map((collector) => collector.kill()))
      await senders.stop()
      await upstream.close()
      for (const { folder } of collectors) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Rows of a table in the store and in each mirror, which have other names for them. */
const TABLES = [
  ['records', 'submissions'],
  ['attempts', 'deliveries'],
  ['pending_deliveries', 'pending_deliveries'],
] as const

const DRAIN_MS = 60_000

/** Resolves when nothing is pending, and mirrors and indexes have everything. */
async function untilDrained(
  read: <Row>(sql: string) => Promise<Row[]>,
  collectors: readonly SharedCollector[],
): Promise<void> {
  const inStore = `SELECT ${TABLES.map(([table]) => `(SELECT count(*)::int FROM waystation.${table}) AS ${table}`)}`
  const inMirror = `SELECT ${TABLES.map(([table, mirrored]) => `(SELECT count(*) FROM ${mirrored}) AS ${table}`)}`
  // `expect.poll` would belong to another of the concurrent tests.
  await vi.waitFor(
    async () => {
      const [stored] = await read<Record<string, number>>(inStore)
      const behind = collectors.flatMap(({ folder }) => {
        const mirrored = firstRow(join(folder, 'spool.db'), inMirror)
        return isDeepStrictEqual(mirrored, { ...stored }) && isDigested(folder) ? [] : [mirrored]
      })
      if (stored?.pending_deliveries !== 0 || behind.length > 0)
        throw new Error(`the store has ${JSON.stringify(stored)}, mirrors that are behind ${JSON.stringify(behind)}`)
    },
    { timeout: DRAIN_MS, interval: 200 },
  )
}

function firstRow(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).get()
  } finally {
    db.close()
  }
}

/** A PostgreSQL that ends with the test. Skips the test where none can run, and says why. */
export async function clusterOfTest(
  { skip, onTestFinished }: Pick<TestContext, 'skip' | 'onTestFinished'>,
  folder?: string,
  copied?: Cluster,
): Promise<Cluster> {
  const created = await createCluster(folder, copied)
  if ('why' in created) {
    console.log(`Faults of a shared record are skipped: ${created.why}.`)
    return skip(created.why)
  }
  onTestFinished(created.remove)
  return created
}
