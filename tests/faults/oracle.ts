import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Clients, type Sent, startClients } from './clients'
import { isDigested } from './digested'
import type { Draw } from './draw'
import { beginLife, type Life } from './life'
import type { End, PlannedPoint } from './plan'
import { beginRebuild, type FoundBooks, readClosed, readRecord } from './record'
import { type CountingUpstream, startUpstream } from './upstream'

/** The relay’s window, and as many that were answered and not written down: so many may come again after a kill. */
const WINDOW = 60

/** What one data folder went through, and what is wrong about it. */
export interface Round {
  readonly kills: number
  readonly fired: readonly PlannedPoint[]
  readonly sent: number
  readonly acknowledged: number
  /** Sent when a kill came: no answer says what became of them. */
  readonly unanswered: number
  readonly stored: number
  /** Posts that upstream had and whose answer was not yet written down, over all kills. */
  readonly open: number
  readonly duplicates: number
  /** Each a sentence; none when every promise held. */
  readonly broken: readonly string[]
}

const TIGHT = { WAYSTATION_MAX_DISK: '16MB' }
const POINT_DEADLINE_MS = 15_000
const DRAIN_DEADLINE_MS = 60_000
/** Of what upstream gets, it refuses so much for what it is. */
const REFUSED_SHARE = 0.05

/** Kills one collector again and again under load on one data folder, lets it drain, and judges what is left. */
export async function runRound(given: {
  readonly program: string
  readonly draw: Draw
  readonly ends: readonly End[]
  /** The least cap there is and large bodies: records are evicted, and rows are made anew. */
  readonly isTight?: boolean
  readonly onKill?: (end: End) => void
}): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-faults-'))
  const upstream = await startUpstream(given.draw, undefined, undefined, REFUSED_SHARE)
  const { isTight = false } = given
  const clients = startClients(given.draw, upstream.dsn, isTight ? 0.5 : 0.1)
  const judge = new Judge(folder, clients, upstream, isTight)
  const env = {
    WAYSTATION_DATA: folder,
    WAYSTATION_PORT: '0',
    WAYSTATION_UPSTREAM: upstream.dsn,
    ...(isTight && TIGHT),
  }
  const begin = (more: Readonly<Record<string, string>> = {}): Life => {
    const life = beginLife(given.program, { ...env, ...more })
    void life.ready.then((url) => clients.aim(url))
    void life.ended.then(() => clients.aim(null))
    return life
  }
  const fired: PlannedPoint[] = []
  try {
    for (const [index, end] of given.ends.entries()) {
      if (end.at === 'point' && end.point === 'rebuild_switch') beginRebuild(folder)
      const log = join(folder, `fired-${index}`)
      const life = begin(end.at === 'point' ? { FAULT_AT: `${end.point}:${end.nth}`, FAULT_LOG: log } : {})
      await meet(life, end, judge)
      if (end.at === 'point' && existsSync(log) && readFileSync(log, 'utf8') === `${end.point}\n`)
        fired.push(end.point as PlannedPoint)
      await upstream.quiet()
      judge.afterKill(`kill ${index + 1} (${nameOf(end)})`)
      given.onKill?.(end)
    }
    const last = begin()
    await drain(last, folder, clients, judge)
    judge.afterDrain()
    return { kills: given.ends.length, fired, ...judge.figures(), broken: judge.broken }
  } finally {
    await clients.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nameOf = (end: End): string => (end.at === 'point' ? `${end.point}, passing ${end.nth}` : end.at)

/** Brings one life to its planned end; one whose point does not come is killed all the same. */
async function meet(life: Life, end: End, judge: Judge): Promise<void> {
  const kill = (): void => life.end('SIGKILL')
  const begun = end.at === 'start' ? Promise.resolve('') : life.ready
  if ((await begun) === null && end.at !== 'point') judge.say(`the collector did not start: ${life.output().trim()}`)
  const timer = setTimeout(kill, end.at === 'point' ? POINT_DEADLINE_MS : end.afterMs)
  // Where the load alone brings no checkpoint, a stop does.
  const stop = end.at === 'point' && end.point === 'checkpoint' ? setTimeout(() => life.end('SIGTERM'), 500) : undefined
  const { code } = await life.ended
  clearTimeout(timer)
  clearTimeout(stop)
  // Nobody asked it to stop: whatever code it gives, it gave up by itself.
  if (code !== null) judge.say(`the collector ended with code ${code} before ${nameOf(end)}: ${life.output().trim()}`)
}

async function drain(life: Life, folder: string, clients: Clients, judge: Judge): Promise<void> {
  const url = await life.ready
  if (url === null) return judge.say(`the collector did not start again: ${life.output().trim()}`)
  await clients.stop()
  const client = collectorClient(url, fetch)
  const deadline = Date.now() + DRAIN_DEADLINE_MS
  for (;;) {
    const { upstreams } = await client.overview()
    // What upstream refused waits for a person.
    if (upstreams.some(({ deadLetters }) => deadLetters > 0))
      await client.orderDeadLetters({ do: 'drop', which: 'all' })
    // By what is pending, and not by the books: those are judged afterwards.
    const left = upstreams.reduce((sum, { pending, deadLetters }) => sum + pending + deadLetters, 0)
    if (left === 0 && isDigested(folder)) break
    if (Date.now() > deadline) {
      judge.say(`${left} envelopes are still pending ${DRAIN_DEADLINE_MS} ms after the last kill`)
      break
    }
  }
  life.end('SIGTERM')
  const { code } = await life.ended
  if (code !== 0) judge.say(`a stop ended with code ${code}: ${life.output().trim()}`)
}

/** Compares what was promised with what is there. */
class Judge {
  readonly broken: string[] = []
  readonly #folder: string
  readonly #clients: Clients
  readonly #upstream: CountingUpstream
  /** What upstream has taken may be gone from the record. */
  readonly #evicts: boolean
  /** How often a body was open at a kill: so often may it come again. */
  readonly #allowed = new Map<string, number>()
  #open = 0
  #stored = 0

  constructor(folder: string, clients: Clients, upstream: CountingUpstream, evicts: boolean) {
    this.#evicts = evicts
    this.#folder = folder
    this.#clients = clients
    this.#upstream = upstream
  }

  say(sentence: string): void {
    this.broken.push(sentence)
  }

  /** Nobody runs: what was acknowledged is stored, and the posts that were open are few and known. */
  afterKill(when: string): void {
    const { stored, pending, books } = readRecord(this.#folder)
    this.#expectStored(stored, when)
    this.#expectBooks(books, stored, when)
    let open = 0
    for (const { id, sha256 } of this.#clients.sent.values()) {
      if (!pending.has(id) || !this.#upstream.arrivals.has(sha256)) continue
      this.#allowed.set(sha256, (this.#allowed.get(sha256) ?? 0) + 1)
      open += 1
    }
    if (open > WINDOW) this.say(`${when}: ${open} posts were open, more than ${WINDOW}`)
    this.#open += open
  }

  afterDrain(): void {
    const when = 'at the end'
    const { bodies, submissions, undecided, books, undigested, outliving, integrity } = readClosed(this.#folder)
    this.#stored = submissions
    this.#expectStored(new Set(bodies.keys()), when)
    if (submissions !== bodies.size) this.say(`${when}: ${submissions - bodies.size} bodies are stored twice`)
    for (const [id, sha256] of bodies) {
      if (this.#clients.sent.get(sha256)?.id !== id) this.say(`${when}: ${id} is not stored as it was sent`)
      if (!this.#upstream.arrivals.has(sha256)) this.say(`${when}: ${id} is stored and did not reach upstream`)
    }
    for (const [sha256, times] of this.#upstream.arrivals) {
      const sent = this.#clients.sent.get(sha256)
      if (sent === undefined) this.say(`${when}: upstream has a body that was not sent: ${sha256}`)
      else if (!this.#evicts && !bodies.has(sent.id)) this.say(`${when}: upstream has ${sent.id}, which is not stored`)
      const most = 1 + (this.#allowed.get(sha256) ?? 0)
      if (times > most) this.say(`${when}: upstream has ${sent?.id ?? sha256} ${times} times, ${most} at most`)
    }
    if (undecided > 0) this.say(`${when}: ${undecided} submissions have no outcome`)
    if (outliving > 0) this.say(`${when}: rows of ${outliving} submissions outlive their record`)
    // Rows may go before their record does.
    if (undigested > 0 && !this.#evicts) this.say(`${when}: ${undigested} submissions are not digested once`)
    this.#expectBooks(books, new Set(bodies.keys()), when)
    if (integrity.some((word) => word !== 'ok')) this.say(`${when}: ${integrity.join(', ')}`)
    for (const answer of new Set(this.#clients.strange)) this.say(`clients were answered ${answer}`)
  }

  figures(): Omit<Round, 'kills' | 'fired' | 'broken'> {
    const sent = [...this.#clients.sent.values()]
    let duplicates = 0
    for (const times of this.#upstream.arrivals.values()) duplicates += times - 1
    return {
      sent: sent.length,
      acknowledged: sent.filter(({ deliveryStatus }) => deliveryStatus === 'acknowledged').length,
      unanswered: sent.filter(({ deliveryStatus }) => deliveryStatus === 'unknown').length,
      stored: this.#stored,
      open: this.#open,
      duplicates,
    }
  }

  /** They balance, and hold what the client reports of all that is stored say, each once. */
  #expectBooks(books: FoundBooks, stored: ReadonlySet<string>, when: string): void {
    for (const error of books.errors) this.say(`${when}: ${error}`)
    const sent = [...this.#clients.sent.values()]
    const sumOf = (of: readonly Sent[]): number => of.reduce((sum, { discarded }) => sum + discarded, 0)
    const [least, most] = [sumOf(sent.filter(({ id }) => stored.has(id))), sumOf(sent)]
    // What was stored once and evicted since is in the books still.
    if (books.discarded < least || books.discarded > (this.#evicts ? most : least))
      this.say(`${when}: SDKs discarded ${books.discarded} by the books, and ${least} by what is stored`)
  }

  #expectStored(stored: ReadonlySet<string>, when: string): void {
    const isEvicted = ({ sha256 }: Sent): boolean => this.#evicts && this.#upstream.arrivals.has(sha256)
    const lost = [...this.#clients.sent.values()].filter(
      (sent) => sent.deliveryStatus === 'acknowledged' && !stored.has(sent.id) && !isEvicted(sent),
    )
    if (lost.length > 0) this.say(`${when}: ${lost.length} acknowledged envelopes are lost, as ${lost[0]?.id}`)
  }
}
