import { cpSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { progressBar } from '../../collector/cli/terminal'
import { tracesPageSchema } from '../../lib/wire/trace'
import { type Answer, ask } from './ask'
import { benchCommand, type Folders } from './bench-command'
import { type BenchedCollector, INTAKE_PATH, startBenched } from './collector-under-bench'
import { emptyFolder } from './disk'
import { peakResidentBytes } from './figures'
import { type Bench, BURST_SECONDS, CONNECTIONS, closedLoop, inCollector, portOf } from './ingest-bursts'
import { type KeptStore, keptStore } from './kept-store'
import type { SendOrder, Sent } from './messages'
import { hire } from './process-under-bench'
import { type Ask, asksOf, LONG_TRACE } from './query-asks'
import { parseQueryFlags, QUERY_HELP, type QueryFlags } from './query-flags'
import { printQuery, type QueryFigures } from './query-report'
import { runCollector } from './run-load'

const LONG_ASKS = 30
/** What takes longer in all is not asked any more: one slow question must not make a run of hours. */
const MOST_MS = 20_000
/** Pages that are turned for a cursor that is deep in the list. */
const DEEP_PAGES = 100

/** What came of asking one thing many times. */
export interface Asked {
  readonly ask: Ask
  readonly times: number
  readonly wholeMs: readonly number[]
  readonly firstByteMs: readonly number[]
  readonly bytes: number
  /** The answer where it was another than 200. */
  readonly refusal: string | null
  /** What it takes to have a first page that is full, or to know that there is no more; `null` of what is no list. */
  readonly filled: Filled | null
}

/** A page may end early and say where to go on: then one answer is not yet what somebody waits for. */
export interface Filled {
  readonly rows: number
  readonly requests: number
  readonly ms: number
}

/** `npm run bench:query`. */
export const run = benchCommand({
  name: 'query',
  help: QUERY_HELP,
  parse: parseQueryFlags,
  measure,
  print: printQuery,
})

async function measure(flags: QueryFlags, { shelf, own }: Folders): Promise<QueryFigures> {
  const say = (line: string): void => console.log(line)
  const store = keptStore({ shelf, segments: flags.segments, redigest: flags.redigest, say })
  say(
    `${store.folder}: ${store.records} records in ${(store.recordBytes / 1e6).toFixed(0)} MB, rows in ${(store.rowBytes / 1e6).toFixed(0)} MB`,
  )
  const sender = await hire('sender-process', false)
  const upstream = await hire('upstream-process', true)
  const bench: Bench = {
    sender,
    upstream,
    upstreamPort: portOf(upstream),
    own,
    quick: true,
    profiles: undefined,
    via: 'socket',
  }
  const rate = flags.rate ?? (await quarterOfSustained(bench))
  const folder = emptyFolder(join(own, 'data'))
  cpSync(store.folder, folder, { recursive: true })
  const collector = await startBenched({ folder, upstream: bench.upstreamPort })
  say(`ready ${collector.readyMs.toFixed(0)} ms after the start; ${rate} envelopes a second arrive while it is asked`)
  const order: SendOrder = {
    via: 'socket',
    url: collector.url,
    path: INTAKE_PATH,
    connections: CONNECTIONS,
    seconds: Number.MAX_SAFE_INTEGER,
    perSecond: rate,
    windows: [],
  }
  const arriving = sender.ask(order)
  const asked = await askAll(collector, store, flags)
  sender.tell({ stop: true })
  const intake = (await arriving) as Sent
  const residentPeakBytes = peakResidentBytes(collector.pid)
  await collector.stop()
  await Promise.all([sender.end(), upstream.end()])
  return {
    store,
    readyMs: collector.readyMs,
    rate,
    asked,
    intake,
    residentPeakBytes,
    wrong: [],
  }
}

/** A short burst, and how long it takes until all of it is digested and relayed. */
async function quarterOfSustained(bench: Bench): Promise<number> {
  return inCollector(bench, async (collector) => {
    const { sent, drainSeconds } = await runCollector(
      { sender: bench.sender, upstream: bench.upstream, collector },
      closedLoop(bench, collector.url, BURST_SECONDS, []),
    )
    return Math.max(1, Math.floor((0.9 * sent.whole.answered) / (BURST_SECONDS + drainSeconds) / 4))
  })
}

/** In turns, as somebody who looks at one thing after another: what one question leaves in the caches is no help to itself. */
async function askAll(collector: BenchedCollector, store: KeptStore, flags: QueryFlags): Promise<readonly Asked[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const deep = await deepCursor(collector.url, agent)
  const isWanted = ({ what }: Ask): boolean => what.includes(flags.only)
  const tallies = asksOf(store.plan, deep)
    .filter(isWanted)
    .map((one) => new Tally(one))
  const bar = progressBar({ doing: 'Asking', out: process.stdout, now: () => performance.now() })
  for (let turn = 1; turn <= flags.asks; turn += 1) {
    for (const tally of tallies) if (tally.goesOn) tally.add(await ask(`${collector.url}${tally.ask.path}`, agent))
    bar.show(turn, flags.asks)
  }
  for (const tally of tallies) if (tally.goesOn) tally.filled = await fill(collector.url, tally.ask.path, agent)
  bar.end(`${tallies.length} questions are asked`)
  const long = new Tally(LONG_TRACE)
  const times = isWanted(LONG_TRACE) ? Math.min(LONG_ASKS, flags.asks) : 0
  for (let turn = 0; turn < times && long.goesOn; turn += 1)
    long.add(await ask(`${collector.url}${LONG_TRACE.path}`, agent))
  agent.destroy()
  return [...tallies, ...(times > 0 ? [long] : [])].map((tally) => tally.asked)
}

const PAGE = 50
const MOST_REQUESTS = 50

/** Goes on from page to page until there are as many rows as one holds. */
async function fill(url: string, path: string, agent: Agent): Promise<Filled | null> {
  const began = performance.now()
  let rows = 0
  let cursor: string | null = null
  for (let requests = 1; ; requests += 1) {
    const at = new URL(path, url)
    if (cursor !== null) at.searchParams.set('cursor', cursor)
    const { status, text } = await ask(at.href, agent, true)
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

class Tally {
  readonly ask: Ask
  filled: Filled | null = null
  readonly #whole: number[] = []
  readonly #first: number[] = []
  #bytes = 0
  #refusal: string | null = null
  #spent = 0

  constructor(one: Ask) {
    this.ask = one
  }

  get goesOn(): boolean {
    return this.#refusal === null && this.#spent < MOST_MS
  }

  add({ status, wholeMs, firstByteMs, bytes, text }: Answer): void {
    this.#spent += wholeMs
    this.#bytes = bytes
    this.#whole.push(wholeMs)
    this.#first.push(firstByteMs)
    if (status !== 200) this.#refusal = `${status} ${text.slice(0, 200)}`
  }

  get asked(): Asked {
    return {
      ask: this.ask,
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
    const { text } = await ask(`${url}/query/traces?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`, agent, true)
    const { next } = tracesPageSchema.parse(JSON.parse(text))
    if (next === null) break
    cursor = next
  }
  return cursor
}
