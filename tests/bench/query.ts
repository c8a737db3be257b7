import { cpSync } from 'node:fs'
import { Agent, get as httpGet } from 'node:http'
import { join } from 'node:path'
import { progressBar } from '../../collector/cli/terminal'
import { segmentsPageSchema, tracesPageSchema } from '../../lib/wire/trace'
import { benchCommand, count, type Folders, rate, text, toggle, type Values } from './bench-command'
import { type KeptStore, keptStore } from './fill-folder'
import { BURST_SECONDS } from './ingest-bursts'
import type { Sent } from './messages'
import { type BenchedCollector, startBenched, startProcess } from './processes'
import { LONG_TRACE, type Query, queriesOf } from './queries'
import { type Filled, printQuery, type QueryFigures, type QueryResult } from './query-report'
import { emptyFolder, peakResidentBytes } from './resources'
import { type Bench, closedLoop, inCollector, openLoop, runCollector, sustainedEstimate } from './run-load'
import { VALUES } from './store-records'

const LONG_TRACE_REQUESTS = 30
/** Stops sending a query after this total time, so that a slow one does not make the run last hours. */
const QUERY_BUDGET_MS = 20_000
/** Pages to read for a cursor deep in the list. */
const DEEP_PAGES = 100
const PAGE = 50
const MOST_REQUESTS = 50

/** An answer, with times in ms from the start of the request. */
interface Answer {
  readonly status: number
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly bytes: number
  /** Empty unless requested, or the status is not 200. */
  readonly text: string
}

const FLAGS = {
  quick: toggle('a smaller store and fewer requests'),
  segments: count('size of the store', 200_000, 20_000, 1000),
  asks: count('requests per query', 200, 40),
  rate: rate('envelopes per second that arrive meanwhile', 'a quarter of the sustained rate, which is measured first'),
  only: text('only queries with this text in their name'),
  redigest: toggle('rebuilds the rows of the store first'),
}
type QueryFlags = Values<typeof FLAGS>

/** `npm run bench:query`. */
export const { run } = benchCommand({
  name: 'query',
  about: `Queries a collector with 200,000 segments and 4 million spans while envelopes arrive: pages of traces by every filter,
alone and together, long traces, and other lists. The product's own writer and digest fill the store once, in .build/bench;
each run works on a copy. Takes about 3 minutes, the first time 3 more. Store and copy need about 1.2 GB of disk each.`,
  flags: FLAGS,
  measure,
  print: printQuery,
})

async function measure(flags: QueryFlags, { shared, own }: Folders): Promise<QueryFigures> {
  const log = (line: string): void => console.log(line)
  const store = keptStore({ shared, segments: flags.segments, redigest: flags.redigest, log })
  log(
    `${store.folder}: ${store.records} records in ${(store.recordBytes / 1e6).toFixed(0)} MB, rows in ${(store.rowBytes / 1e6).toFixed(0)} MB`,
  )
  const sender = await startProcess('sender-process', false)
  const upstream = await startProcess('upstream-process', true)
  const bench: Bench = { sender, upstream, own, quick: true, profiles: undefined }
  const perSecond = flags.rate ?? (await quarterOfSustained(bench))
  const folder = emptyFolder(join(own, 'data'))
  cpSync(store.folder, folder, { recursive: true })
  const collector = await startBenched({ folder, upstream: upstream.port })
  log(
    `ready ${collector.readyMs.toFixed(0)} ms after the start; ${perSecond} envelopes a second arrive during the queries`,
  )
  const order = openLoop(collector.url, perSecond, Number.MAX_SAFE_INTEGER)
  const arriving = sender.request(order)
  const results = await sendAll(collector, store, flags)
  sender.notify({ stop: true })
  const intake = (await arriving) as Sent
  const residentPeakBytes = peakResidentBytes(collector.pid)
  await collector.stop()
  await Promise.all([sender.end(), upstream.end()])
  return {
    store,
    readyMs: collector.readyMs,
    rate: perSecond,
    results,
    intake,
    residentPeakBytes,
    wrong: [],
  }
}

function quarterOfSustained(bench: Bench): Promise<number> {
  return inCollector(bench, async (collector) => {
    const burst = await runCollector(bench, collector, closedLoop(collector.url, BURST_SECONDS, []))
    return Math.max(1, Math.floor(sustainedEstimate(burst, BURST_SECONDS) / 4))
  })
}

/** Sends the queries in turns, so that no query profits from its own effect on the caches. */
async function sendAll(
  collector: BenchedCollector,
  store: KeptStore,
  flags: QueryFlags,
): Promise<readonly QueryResult[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const deep = await deepCursor(collector.url, agent)
  const isSelected = ({ what }: Query): boolean => what.includes(flags.only)
  const segment = await commonSegment(collector.url, agent)
  const tallies = queriesOf(store.plan, deep, segment)
    .filter(isSelected)
    .map((query) => new Tally(query))
  const bar = progressBar({ doing: 'Querying', out: process.stdout, now: () => performance.now() })
  for (let turn = 1; turn <= flags.asks; turn += 1) {
    for (const tally of tallies) if (tally.continues) tally.add(await get(`${collector.url}${tally.query.path}`, agent))
    bar.show(turn, flags.asks)
  }
  for (const tally of tallies) if (tally.continues) tally.filled = await fill(collector.url, tally.query.path, agent)
  bar.end(`${tallies.length} queries were sent`)
  const long = new Tally(LONG_TRACE)
  const times = isSelected(LONG_TRACE) ? Math.min(LONG_TRACE_REQUESTS, flags.asks) : 0
  for (let turn = 0; turn < times && long.continues; turn += 1)
    long.add(await get(`${collector.url}${LONG_TRACE.path}`, agent))
  agent.destroy()
  return [...tallies, ...(times > 0 ? [long] : [])].map((tally) => tally.result)
}

/** Reads pages until they contain as many rows as a full one. */
async function fill(url: string, path: string, agent: Agent): Promise<Filled | null> {
  const began = performance.now()
  let rows = 0
  let cursor: string | null = null
  for (let requests = 1; ; requests += 1) {
    const at = new URL(path, url)
    if (cursor !== null) at.searchParams.set('cursor', cursor)
    const { status, text } = await get(at.href, agent, true)
    if (status !== 200) return null
    const page = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (!('next' in page)) return null
    const list = Object.values(page).find((value) => Array.isArray(value))
    rows += Array.isArray(list) ? list.length : 0
    cursor = typeof page.next === 'string' ? page.next : null
    if (cursor === null || rows >= PAGE || requests >= MOST_REQUESTS)
      return { rows, requests, ms: performance.now() - began }
  }
}

/** Collects the answers to one query. */
class Tally {
  readonly query: Query
  filled: Filled | null = null
  readonly #whole: number[] = []
  readonly #first: number[] = []
  #bytes = 0
  #refusal: string | null = null
  #spent = 0

  constructor(query: Query) {
    this.query = query
  }

  get continues(): boolean {
    return this.#refusal === null && this.#spent < QUERY_BUDGET_MS
  }

  add({ status, wholeMs, firstByteMs, bytes, text }: Answer): void {
    this.#spent += wholeMs
    this.#bytes = bytes
    this.#whole.push(wholeMs)
    this.#first.push(firstByteMs)
    if (status !== 200) this.#refusal = `${status} ${text.slice(0, 200)}`
  }

  get result(): QueryResult {
    return {
      query: this.query,
      times: this.#whole.length,
      wholeMs: this.#whole,
      firstByteMs: this.#first,
      bytes: this.#bytes,
      refusal: this.#refusal,
      filled: this.filled,
    }
  }
}

async function deepCursor(url: string, agent: Agent): Promise<string> {
  let cursor = ''
  for (let page = 0; page < DEEP_PAGES; page += 1) {
    const { text } = await get(`${url}/query/traces?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`, agent, true)
    const { next } = tracesPageSchema.parse(JSON.parse(text))
    if (next === null) break
    cursor = next
  }
  return cursor
}

/** The address of a segment with the most common name. */
async function commonSegment(url: string, agent: Agent): Promise<string> {
  const filter = new URLSearchParams({ op: VALUES.op.common, name: VALUES.name.common, limit: '1' })
  const { text } = await get(`${url}/query/segments?${filter}`, agent, true)
  const [found] = segmentsPageSchema.parse(JSON.parse(text)).segments
  if (found === undefined) throw new Error(`the store has no segment with the name ${VALUES.name.common}`)
  return `/query/segments/${found.traceId}/${found.segmentId}`
}

/** @param withText returns the text of the answer, too */
function get(url: string, agent: Agent, withText = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let firstByteMs = Number.NaN
    let bytes = 0
    const chunks: Buffer[] = []
    httpGet(url, { agent }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - began
        bytes += chunk.length
        if (withText || response.statusCode !== 200) chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const wholeMs = performance.now() - began
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, firstByteMs, wholeMs, bytes, text })
      })
    }).on('error', reject)
  })
}
