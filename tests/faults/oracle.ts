import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaultPoint } from '../../collector/runtime/fault-point'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Clients, type Sent, startClients } from './clients'
import type { Random } from './random'
import { beginRebuild, isDigested, type LedgerReading, readRecord, readStopped } from './record'
import { type CollectorRun, startRun } from './test-folder'
import { type CountingUpstream, startUpstream } from './upstream'

/** Posts that may be repeated after a kill: the relay's open ones, and as many whose answer was not stored yet. */
const WINDOW = 60

/** The result of a series of kills on one data folder. */
export interface Round {
  readonly kills: number
  readonly fired: readonly PlannedPoint[]
  readonly sent: number
  readonly acknowledged: number
  /** Sent without an answer, because of a kill. */
  readonly unanswered: number
  readonly stored: number
  /** Posts that had arrived upstream and whose answer was not stored yet, over all kills. */
  readonly open: number
  readonly duplicates: number
  /** Broken promises, each a sentence. */
  readonly broken: readonly string[]
}

const TIGHT = { WAYSTATION_MAX_DISK: '16MB' }
const POINT_DEADLINE_MS = 15_000
const DRAIN_DEADLINE_MS = 60_000
/** The share of posts that upstream refuses with 413. */
const REFUSED_SHARE = 0.05
/** The share of posts that upstream answers with 503; they come again. */
const FAILING_SHARE = 0.02

/** Kills the collector under load again and again on one data folder, lets it drain, and checks the folder. */
export async function runRound(given: {
  readonly program: string
  readonly draw: Random
  readonly ends: readonly End[]
  /** With the smallest cap and large bodies, so that records are evicted and the index is rebuilt. */
  readonly isTight?: boolean
  readonly onKill?: (end: End) => void
}): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-faults-'))
  const upstream = await startUpstream(given.draw, undefined, undefined, REFUSED_SHARE, FAILING_SHARE)
  const { isTight = false } = given
  const clients = startClients(given.draw, upstream.dsn, isTight ? 0.5 : 0.1)
  const oracle = new Oracle(folder, clients, upstream, isTight)
  const env = {
    WAYSTATION_DATA: folder,
    WAYSTATION_PORT: '0',
    WAYSTATION_OTLP_PORT: 'off',
    WAYSTATION_UPSTREAM: upstream.dsn,
    ...(isTight && TIGHT),
  }
  const begin = (more: Readonly<Record<string, string>> = {}): CollectorRun => {
    const run = startRun(given.program, { ...env, ...more })
    void run.ready.then((url) => clients.setTarget(url))
    void run.ended.then(() => clients.setTarget(null))
    return run
  }
  const fired: PlannedPoint[] = []
  try {
    for (const [index, end] of given.ends.entries()) {
      if (end.at === 'point' && end.point === 'rebuild_switch') beginRebuild(folder)
      const log = join(folder, `fired-${index}`)
      const run = begin(end.at === 'point' ? { FAULT_AT: `${end.point}:${end.nth}`, FAULT_LOG: log } : {})
      await runToEnd(run, end, oracle)
      if (end.at === 'point' && existsSync(log) && readFileSync(log, 'utf8') === `${end.point}\n`)
        fired.push(end.point as PlannedPoint)
      await upstream.settled()
      oracle.afterKill(`kill ${index + 1} (${nameOf(end)})`)
      given.onKill?.(end)
    }
    const last = begin()
    await drain(last, folder, clients, oracle)
    oracle.afterDrain()
    return { kills: given.ends.length, fired, ...oracle.figures(), broken: oracle.broken }
  } finally {
    await clients.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nameOf = (end: End): string => (end.at === 'point' ? `${end.point}, passing ${end.nth}` : end.at)

/** Ends one run as planned; a run that does not reach its fault point in time is killed too. */
async function runToEnd(run: CollectorRun, end: End, oracle: Oracle): Promise<void> {
  const kill = (): void => run.end('SIGKILL')
  const begun = end.at === 'start' ? Promise.resolve('') : run.ready
  if ((await begun) === null && end.at !== 'point') oracle.report(`the collector did not start: ${run.output().trim()}`)
  const timer = setTimeout(kill, end.at === 'point' ? POINT_DEADLINE_MS : end.afterMs)
  // If the load causes no checkpoint, a stop does.
  const stop = end.at === 'point' && end.point === 'checkpoint' ? setTimeout(() => run.end('SIGTERM'), 500) : undefined
  const { code } = await run.ended
  clearTimeout(timer)
  clearTimeout(stop)
  // It was not stopped: any exit code means that it ended by itself.
  if (code !== null)
    oracle.report(`the collector ended with code ${code} before ${nameOf(end)}: ${run.output().trim()}`)
}

async function drain(run: CollectorRun, folder: string, clients: Clients, oracle: Oracle): Promise<void> {
  const url = await run.ready
  if (url === null) return oracle.report(`the collector did not start again: ${run.output().trim()}`)
  await clients.stop()
  const client = collectorClient(url, fetch)
  const deadline = Date.now() + DRAIN_DEADLINE_MS
  for (;;) {
    const { upstreams } = await client.overview()
    // Dead letters stay until a person drops them.
    if (upstreams.some(({ deadLetters }) => deadLetters > 0))
      await client.orderDeadLetters({ do: 'drop', which: 'all' })
    // Not by the ledger totals, which are checked afterwards.
    const left = upstreams.reduce((sum, { pending, deadLetters }) => sum + pending + deadLetters, 0)
    if (left === 0 && isDigested(folder)) break
    if (Date.now() > deadline) {
      oracle.report(`${left} envelopes are still pending ${DRAIN_DEADLINE_MS} ms after the last kill`)
      break
    }
  }
  run.end('SIGTERM')
  const { code } = await run.ended
  if (code !== 0) oracle.report(`a stop ended with code ${code}: ${run.output().trim()}`)
}

/** Compares the answers that clients got with spool.db and the arrivals upstream. */
class Oracle {
  readonly broken: string[] = []
  readonly #folder: string
  readonly #clients: Clients
  readonly #upstream: CountingUpstream
  /** Delivered records may be evicted. */
  readonly #evicts: boolean
  /** How often a body was in an open post at a kill: it may arrive again as often. */
  readonly #allowed = new Map<string, number>()
  #open = 0
  #stored = 0

  constructor(folder: string, clients: Clients, upstream: CountingUpstream, evicts: boolean) {
    this.#evicts = evicts
    this.#folder = folder
    this.#clients = clients
    this.#upstream = upstream
  }

  report(sentence: string): void {
    this.broken.push(sentence)
  }

  /** No collector runs: every acknowledged envelope must be stored, and few posts may have been open. */
  afterKill(when: string): void {
    const { stored, pending, ledger } = readRecord(this.#folder)
    this.#expectStored(stored, when)
    this.#expectLedger(ledger, stored, when)
    let open = 0
    for (const { id, sha256 } of this.#clients.sent.values()) {
      if (!pending.has(id) || !this.#upstream.arrivals.has(sha256)) continue
      this.#allowed.set(sha256, (this.#allowed.get(sha256) ?? 0) + 1)
      open += 1
    }
    if (open > WINDOW) this.report(`${when}: ${open} posts were open, more than ${WINDOW}`)
    this.#open += open
  }

  afterDrain(): void {
    const when = 'at the end'
    const { bodies, submissions, undecided, ledger, undigested, orphanedRows, integrity } = readStopped(this.#folder)
    this.#stored = submissions
    this.#expectStored(new Set(bodies.keys()), when)
    if (submissions !== bodies.size) this.report(`${when}: ${submissions - bodies.size} bodies are stored twice`)
    for (const [id, sha256] of bodies) {
      if (this.#clients.sent.get(sha256)?.id !== id) this.report(`${when}: ${id} is not stored as it was sent`)
      if (!this.#upstream.arrivals.has(sha256)) this.report(`${when}: ${id} is stored and did not reach upstream`)
    }
    for (const [sha256, times] of this.#upstream.arrivals) {
      const sent = this.#clients.sent.get(sha256)
      if (sent === undefined) this.report(`${when}: upstream has a body that was not sent: ${sha256}`)
      else if (!this.#evicts && !bodies.has(sent.id))
        this.report(`${when}: upstream has ${sent.id}, which is not stored`)
      const most = 1 + (this.#allowed.get(sha256) ?? 0)
      if (times > most) this.report(`${when}: upstream has ${sent?.id ?? sha256} ${times} times, ${most} at most`)
    }
    if (undecided > 0) this.report(`${when}: ${undecided} submissions have no outcome`)
    if (orphanedRows > 0) this.report(`${when}: rows of ${orphanedRows} submissions have no record`)
    // Rows may be evicted before their record.
    if (undigested > 0 && !this.#evicts) this.report(`${when}: ${undigested} submissions are not digested once`)
    this.#expectLedger(ledger, new Set(bodies.keys()), when)
    if (integrity.some((word) => word !== 'ok')) this.report(`${when}: ${integrity.join(', ')}`)
    for (const answer of new Set(this.#clients.unexpected)) this.report(`clients were answered ${answer}`)
  }

  figures(): Omit<Round, 'kills' | 'fired' | 'broken'> {
    const sent = [...this.#clients.sent.values()]
    let duplicates = 0
    for (const times of this.#upstream.arrivals.values()) duplicates += times - 1
    return {
      sent: sent.length,
      acknowledged: sent.filter(({ result }) => result === 'acknowledged').length,
      unanswered: sent.filter(({ result }) => result === 'unknown').length,
      stored: this.#stored,
      open: this.#open,
      duplicates,
    }
  }

  /** The totals must balance, and contain the client reports of every stored envelope once. */
  #expectLedger(ledger: LedgerReading, stored: ReadonlySet<string>, when: string): void {
    for (const error of ledger.errors) this.report(`${when}: ${error}`)
    const sent = [...this.#clients.sent.values()]
    const sumOf = (of: readonly Sent[]): number => of.reduce((sum, { discarded }) => sum + discarded, 0)
    const [least, most] = [sumOf(sent.filter(({ id }) => stored.has(id))), sumOf(sent)]
    // Totals keep the quantities of evicted records.
    if (ledger.discarded < least || ledger.discarded > (this.#evicts ? most : least))
      this.report(
        `${when}: SDKs discarded ${ledger.discarded} in the ledger totals, and ${least} in stored client reports`,
      )
  }

  #expectStored(stored: ReadonlySet<string>, when: string): void {
    const isEvicted = ({ sha256 }: Sent): boolean => this.#evicts && this.#upstream.arrivals.has(sha256)
    const lost = [...this.#clients.sent.values()].filter(
      (sent) => sent.result === 'acknowledged' && !stored.has(sent.id) && !isEvicted(sent),
    )
    if (lost.length > 0) this.report(`${when}: ${lost.length} acknowledged envelopes are lost, as ${lost[0]?.id}`)
  }
}

/** How one run ends: some time after it took envelopes, still at its start, or when it passes a named point. */
export type End =
  | { readonly at: 'random'; readonly afterMs: number }
  | { readonly at: 'start'; readonly afterMs: number }
  | { readonly at: 'point'; readonly point: FaultPoint; readonly nth: number }

/** The fault points of every plan, with the highest number of passes to wait for. */
const POINTS = {
  before_commit: 40,
  after_commit: 40,
  checkpoint: 1,
  digest: 12,
  relayed: 40,
} as const satisfies Partial<Record<FaultPoint, number>>

/** Passed only on a folder that is nearly full, or during a rebuild of the index. */
export const RARE_POINT_NAMES = ['evict', 'rebuild_switch'] as const satisfies readonly FaultPoint[]

export type PlannedPoint = keyof typeof POINTS | (typeof RARE_POINT_NAMES)[number]

export const POINT_NAMES = Object.keys(POINTS) as readonly (keyof typeof POINTS)[]

/** Of every ten ends, five are fault points in turn, one is during the start, the others are at random times. */
export function planEnds(draw: Random, count: number): readonly End[] {
  return Array.from({ length: count }, (_, index): End => {
    const point = POINT_NAMES[Math.floor(index / 2) % POINT_NAMES.length]
    if (index % 2 === 0 && point !== undefined) return { at: 'point', point, nth: draw.between(1, POINTS[point]) }
    if (index % 10 === 9) return { at: 'start', afterMs: draw.between(20, 400) }
    return { at: 'random', afterMs: draw.between(20, 600) }
  })
}

/** Ends at the rare fault points, in turn. */
export function planRareEnds(draw: Random, count: number): readonly End[] {
  return Array.from({ length: count }, (_, index): End => {
    if (index % 2 === 1) return { at: 'point', point: 'rebuild_switch', nth: 1 }
    return { at: 'point', point: 'evict', nth: draw.between(1, 3) }
  })
}
