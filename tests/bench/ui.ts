import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { sleep } from '../../lib/time'
import { collectorClient } from '../../lib/wire/collector-client'
import { BOARD_PAGES } from '../../lib/wire/pages'
import { launchBrowser } from './bench-browser'
import { benchCommand, count, type Folders, type Measured, text, toggle, type Values } from './bench-command'
import { boardBytes, sizeOf } from './board-bytes'
import { keptStore } from './fill-folder'
import { type BenchProcess, INTAKE_PATH, startBenched, startProcess, waitForProgress } from './processes'
import { type Goal, goalBelow, goalTable, median, ms, percentile, textTable } from './report'
import { emptyFolder } from './resources'
import { openLoop } from './run-load'
import { type LiveFigures, liveGoals, liveText, measureLive, VISIT } from './ui-live'
import { INSTALL_SPOTLIGHT, type Spotlight, startSpotlight } from './ui-spotlight'
import { measureTraces, TRACE_ROW, type TraceFigures, traceGoals, traceTable } from './ui-trace'

const GOAL_KB = 90
const GOAL_TRACE_KB = 70
const GOAL_INPUT_MS = 100
const GOAL_QUERY_MS = 10
const FRAMES = 200
const WARM_UP = 20
/** A person clicks so long after deciding for a row. */
const REACTION_MS = 400
const KEY_EVERY_MS = 100
/** Until a page has read the rest of its data. */
const REST_MS = 2000
const OPENS_WITHIN_MS = 3000
const ROW = '[data-row-link]'
/** The element that shows that a page has its data; the heading for pages without rows. */
const SHOWS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['/traces', '/errors', '/events', '/envelopes', '/deliveries'].map((path) => [path, ROW])),
  '/events/:id': 'li[data-own]',
}

interface Load {
  readonly path: string
  readonly shows: string
  readonly allBytes: number
  readonly reactBytes: number
  /** From the start of the navigation until the element is in the document, in each round. */
  readonly shownMs: readonly number[]
}

interface BoardFigures extends Measured {
  readonly loads: readonly Load[]
  readonly keyMs: readonly number[]
  /** Keys that move through an open trace of 10,000 spans. */
  readonly traceKeyMs: readonly number[]
  readonly clicks: number
  /** Clicks that opened another row than the one under the pointer, and clicks that opened none. */
  readonly other: number
  readonly nothing: number
  readonly queryMs: readonly number[]
  readonly arrived: number
  readonly traces: readonly TraceFigures[]
  readonly traceBytes: ReturnType<typeof boardBytes>
}

interface UiFigures extends Measured {
  /** `null` with `--only-live`. */
  readonly boards: BoardFigures | null
  /** `null` with `--only-traces`. */
  readonly live: LiveFigures | null
}

const FLAGS = {
  quick: toggle('a smaller store, fewer rounds, keys and clicks'),
  segments: count('size of the store', 200_000, 20_000, 1000),
  rounds: count('loads of each board; the report contains medians', 5, 1),
  rate: count('envelopes per second while a person types and clicks', 200, 200),
  keys: count('keys into the filter field', 120, 40),
  clicks: count('clicks on rows', 12, 6),
  queries: count('requests for a list of 50', 200, 50),
  onlyLive: toggle('only Live over 1,000 visits; fills no store'),
  onlyTraces: toggle('only traces of 10,000 and 100,000 spans, and keys in the first of them'),
  spotlight: {
    ...text(
      `opens the trace of 10,000 spans in the Spotlight of this folder too, in turns; add it with ${INSTALL_SPOTLIGHT}`,
    ),
    value: 'FOLDER',
  },
}

/** `npm run bench:ui`. */
export const { run, parse } = benchCommand({
  name: 'ui',
  about: `Opens each board of a collector with 200,000 segments in Chromium: gzip bytes of the first load beyond React, and the time until
rows show; traces of 10,000 and 100,000 spans, also next to Spotlight. While envelopes arrive, types into the filter field, clicks on rows and moves through a trace. Bytes are split by the share of React in
each chunk. Then opens Live over 1,000 visits while page loads arrive. Takes about 5 minutes, the first time 3 more to fill the store in .build/bench.`,
  flags: FLAGS,
  measure,
  print,
})

async function measure(flags: Values<typeof FLAGS>, folders: Folders): Promise<UiFigures> {
  // First, because it fails at once without an installation.
  const spotlight = flags.spotlight === '' ? null : await startSpotlight(flags.spotlight)
  const sender = await startProcess('sender-process', false)
  const browser = await launchBrowser()
  const pressKeys = (page: Page, address: string) => timeKeys(page, address, IN_LIVE, flags.keys)
  try {
    const boards = flags.onlyLive ? null : await measureBoards(flags, folders, { browser, sender, spotlight })
    const live = flags.onlyTraces ? null : await measureLive(browser, { ...folders, ...flags, sender, pressKeys })
    return { boards, live, wrong: [...(boards?.wrong ?? []), ...(live?.wrong ?? [])] }
  } finally {
    await browser.close()
    await spotlight?.stop()
    await sender.end()
  }
}

interface Started {
  readonly browser: Browser
  readonly sender: BenchProcess
  readonly spotlight: Spotlight | null
}

async function measureBoards(
  flags: Values<typeof FLAGS>,
  { shared, own }: Folders,
  { browser, sender, spotlight }: Started,
): Promise<BoardFigures> {
  const log = (line: string): void => console.log(line)
  const store = keptStore({ shared, segments: flags.segments, redigest: false, log })
  const folder = emptyFolder(join(own, 'data'))
  cpSync(store.folder, folder, { recursive: true })
  const collector = await startBenched({ folder, upstream: null })
  try {
    const isWhole = !flags.onlyTraces
    const queryMs = isWhole ? await timeQueries(`${collector.url}/query/traces?limit=50`, flags.queries) : []
    const paths = isWhole ? await addressesOf(collector.url) : new Map<string, string>()
    const loads: Load[] = []
    for (const [path, address] of paths) loads.push(await measureLoad(browser, path, address, flags.rounds))
    const traces = await measureTraces(browser, { url: collector.url, rounds: flags.rounds, spotlight })
    const arriving = sender.request(openLoop(collector.url, flags.rate, Number.MAX_SAFE_INTEGER))
    const [list, trace] = [`${collector.url}/traces`, `${collector.url}/traces/${traces[0]?.traceId}`]
    const traceKeyMs = await timeKeys(await browser.newPage(), trace, IN_TRACE, flags.keys)
    const keyMs = isWhole ? await timeKeys(await browser.newPage(), list, IN_FILTER, flags.keys) : []
    const clicks = isWhole ? flags.clicks : 0
    const opened = await clickRows(await browser.newPage(), list, clicks)
    sender.notify({ stop: true })
    const { answers } = (await arriving) as { readonly answers: Readonly<Record<string, number>> }
    const wrong = Object.entries(answers).flatMap(([what, times]) => (what === '200' ? [] : [`${times} × ${what}`]))
    const found = { loads, keyMs, traceKeyMs, clicks, ...opened, queryMs, arrived: answers['200'] ?? 0, traces, wrong }
    return { ...found, traceBytes: boardBytes('/traces/:id') }
  } finally {
    await collector.stop()
  }
}

/** Posts an error with 200 frames. @returns the address of each page with recorded data */
async function addressesOf(url: string): Promise<ReadonlyMap<string, string>> {
  const eventId = crypto.randomUUID().replaceAll('-', '')
  const frames = Array.from({ length: FRAMES }, (_, line) => ({
    ...{ filename: `app/part-${line % 20}.ts`, function: `step${line}`, lineno: line + 1, colno: 3, in_app: true },
    context_line: `  return step${line}(order)`,
  }))
  const event = {
    ...{ event_id: eventId, timestamp: Date.now() / 1000, platform: 'node' },
    exception: { values: [{ type: 'RangeError', value: 'too deep', stacktrace: { frames } }] },
  }
  const body = [{ event_id: eventId }, { type: 'event' }, event].map((line) => JSON.stringify(line)).join('\n')
  const { status } = await fetch(url + INTAKE_PATH, { method: 'POST', body })
  if (status !== 200)
    throw new Error(`the collector answered ${status} to the error with ${FRAMES} frames, expected 200`)
  const client = collectorClient(url, fetch)
  await waitForProgress('the error is digested', 20, async () =>
    (await client.event(eventId)) === null ? 'not digested' : null,
  )
  const [trace] = (await client.traces({ limit: 1 })).traces
  const [group] = (await client.errors({ limit: 1 })).groups
  const [newest] = (await client.envelopes({ limit: 1 })).envelopes
  const parameters: Readonly<Record<string, string | number | undefined>> = {
    '/traces/:id': trace?.traceId,
    '/errors/:id': group?.hash,
    '/events/:id': eventId,
    '/envelopes/:id': newest?.seq,
  }
  return new Map(BOARD_PAGES.map(({ path }) => [path, url + path.replace(':id', String(parameters[path]))]))
}

/** Loads a page without a cache, several times. */
async function measureLoad(browser: Browser, path: string, address: string, rounds: number): Promise<Load> {
  const shows = SHOWS[path] ?? 'main h1'
  const files = new Set<string>()
  const shownMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/boards/')) files.add(basename(pathname))
    })
    await page.addInitScript((selector) => {
      new MutationObserver((_, observer) => {
        if (document.querySelector(selector) === null) return
        observer.disconnect()
        performance.mark('shown')
      }).observe(document, { childList: true, subtree: true })
    }, shows)
    await page.goto(address)
    await page.locator(shows).first().waitFor()
    shownMs.push(await page.evaluate(() => performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN))
    await context.close()
  }
  const sizes = [...files].map(sizeOf)
  const sum = (of: 'all' | 'react'): number => sizes.reduce((total, size) => total + size[of], 0)
  return { path, shows, allBytes: sum('all'), reactBytes: sum('react'), shownMs }
}

/** Times of whole answers, one request after the other, without those of the warm-up. */
async function timeQueries(url: string, requests: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let request = -WARM_UP; request < requests; request += 1) {
    const began = performance.now()
    await (await fetch(url)).arrayBuffer()
    if (request >= 0) times.push(performance.now() - began)
  }
  return times
}

interface Typing {
  /** Present when the page has its data. */
  readonly shows: string
  /** Not timed. */
  readonly begin: string
  readonly typed: readonly string[]
}

const times = (key: string, count: number): readonly string[] => Array.from({ length: count }, () => key)
const IN_FILTER: Typing = { shows: ROW, begin: '/', typed: [...'shop', ...times('Backspace', 4)] }
const IN_LIVE: Typing = { shows: VISIT, begin: 'p', typed: ['p'] }
const IN_TRACE: Typing = { shows: TRACE_ROW, begin: 'j', typed: [...times('j', 8), ...times('k', 8)] }

/** Presses keys, one after the other. @returns ms from each key to the end of the frame that shows it */
async function timeKeys(page: Page, address: string, { shows, begin, typed }: Typing, keys: number) {
  await page.addInitScript(() => {
    const listen = (event: KeyboardEvent): void => {
      requestAnimationFrame(() =>
        setTimeout(() => performance.measure('key', { start: event.timeStamp, end: performance.now() })),
      )
    }
    document.addEventListener('keydown', listen, true)
  })
  await page.goto(address)
  await page.locator(shows).first().waitFor()
  await sleep(REST_MS)
  await page.keyboard.press(begin)
  await sleep(KEY_EVERY_MS)
  await page.evaluate(() => performance.clearMeasures('key'))
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press(typed[key % typed.length] ?? begin)
    await sleep(KEY_EVERY_MS)
  }
  const found = await page.evaluate(() => performance.getEntriesByName('key').map(({ duration }) => duration))
  await page.close()
  return found
}

/** Decides for a row, then clicks at its position, as a person does. */
async function clickRows(page: Page, address: string, clicks: number) {
  const found = { other: 0, nothing: 0 }
  for (let click = 0; click < clicks; click += 1) {
    await page.goto(address)
    await page.locator(ROW).nth(8).waitFor()
    await sleep(REACTION_MS)
    // In one step: rows that arrive replace the elements.
    const box = await page.locator(ROW).evaluateAll((rows, at) => rows[at]?.getBoundingClientRect(), 1 + (click % 7))
    if (box === undefined) throw new Error(`the list shows ${click % 7} rows or fewer`)
    const point = { x: box.x + 8, y: box.y + box.height / 2 }
    await page.mouse.move(point.x, point.y)
    const decided = await page.evaluate(({ x, y }) => {
      const row = document.elementFromPoint(x, y)?.closest('tr')
      return row?.querySelector<HTMLAnchorElement>('[data-row-link]')?.pathname ?? null
    }, point)
    await sleep(REACTION_MS)
    await page.mouse.click(point.x, point.y)
    const from = new URL(address).pathname
    const opened = await page
      .waitForURL(({ pathname }) => pathname !== from, { timeout: OPENS_WITHIN_MS })
      .then(
        () => new URL(page.url()).pathname,
        // The time ran out: the click opened nothing, which counts.
        () => null,
      )
    if (opened === null) found.nothing += 1
    else if (opened !== decided) found.other += 1
  }
  return found
}

const kb = (bytes: number): string => (bytes / 1000).toFixed(1)

function print({ boards, live }: UiFigures): void {
  if (boards !== null) printBoards(boards)
  if (live === null) return
  console.log(`${liveText(live)}\n`)
  console.log(goalTable(liveGoals(live)))
}

function printBoards(figures: BoardFigures): void {
  const { loads, keyMs, traceKeyMs, clicks, other, nothing, queryMs, arrived, traces, traceBytes } = figures
  const isWhole = loads.length > 0
  const rows = loads.map(({ path, shows, allBytes, reactBytes, shownMs }) => [
    path,
    kb(allBytes - reactBytes),
    kb(reactBytes),
    ms(median(shownMs)),
    shows === ROW ? 'rows' : shows.startsWith('li') ? `${FRAMES} frames` : 'heading',
  ])
  if (isWhole) {
    console.log(`\n${textTable(['first load', 'KB gzip', 'React', 'ms until', 'shows'], rows)}\n`)
    console.log(
      `While a person typed ${keyMs.length} keys (p50 ${ms(median(keyMs))} ms) and clicked, ${nothing} of ${clicks} clicks opened nothing. Before, a list of 50 took ${ms(Math.min(...queryMs))} ms at least, p50 ${ms(median(queryMs))} ms.`,
    )
  }
  console.log(
    `${arrived} envelopes arrived in all. ${traceKeyMs.length} keys in an open trace: p50 ${ms(median(traceKeyMs))} ms, longest ${ms(Math.max(...traceKeyMs))} ms. The trace board's own scripts: ${kb(traceBytes.first)} KB gzip of the first load, ${kb(traceBytes.whole)} KB with parts loaded later.\n`,
  )
  console.log(`${traceTable(traces)}\n`)
  if (traces.every(({ spotlight }) => spotlight === null))
    console.log(`Spotlight was not measured: add it with ${INSTALL_SPOTLIGHT} and pass --spotlight FOLDER.\n`)
  const missed: Goal = {
    what: 'clicks that opened another row, or none',
    target: `0 of ${clicks}`,
    found: isWhole ? String(other + nothing) : '',
    met: isWhole ? other + nothing === 0 : null,
  }
  const largest = Math.max(...loads.map(({ allBytes, reactBytes }) => allBytes - reactBytes))
  const p95 = (found: readonly number[]): number | null => (found.length > 0 ? percentile(found, 0.95) : null)
  console.log(
    goalTable([
      goalBelow('largest first load beyond React', GOAL_KB, 'KB', isWhole ? largest / 1000 : null),
      goalBelow('own scripts of the trace board', GOAL_TRACE_KB, 'KB', traceBytes.first / 1000),
      goalBelow('p95 from a key in the filter field to its frame', GOAL_INPUT_MS, 'ms', p95(keyMs)),
      goalBelow('the same in an open trace of 10,000 spans', GOAL_INPUT_MS, 'ms', p95(traceKeyMs)),
      missed,
      goalBelow('p95 of a list of 50', GOAL_QUERY_MS, 'ms', p95(queryMs)),
      ...traceGoals(traces),
    ]),
  )
}
