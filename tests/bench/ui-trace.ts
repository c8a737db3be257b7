import type { Browser, Page } from '@playwright/test'
import { criticalPaths } from '../../lib/protocol/trace/critical-path'
import { analysePacked, packTree } from '../../lib/protocol/trace/packed-tree'
import { buildSpanTree } from '../../lib/protocol/trace/span-tree'
import { timeTree } from '../../lib/protocol/trace/time-tree'
import { sleep } from '../../lib/time'
import { collectorClient } from '../../lib/wire/collector-client'
import { INTAKE_PATH, waitForProgress } from './processes'
import { type Goal, goalBelow, median, ms, percentile, textTable, whole } from './report'
import { type BuiltTrace, buildTrace, postTrace, spansOf } from './trace-envelopes'
import type { Spotlight } from './ui-spotlight'

const SMALL = 10_000
const LARGE = 100_000
const SCROLLED_PX = 1500
const FRAMES = 100
/** A person clicks so long after pointing at a row. */
const REACTION_MS = 400
const LONGEST_MS = 30_000
const UNRELATED = 100
const VIEWPORT = { width: 1440, height: 900 }
/** So many spans have to be in view. */
const FIRST_ROWS = 10
/** A row of the waterfall. */
export const TRACE_ROW = 'tr[data-row]'

export interface TraceFigures {
  readonly traceId: string
  readonly spans: number
  /** From the click in the list to the first rows, and until all spans are counted. */
  readonly firstMs: readonly number[]
  readonly wholeMs: readonly number[]
  readonly nodes: number
  /** Time from frame to frame while every frame scrolls by 1,500 px. */
  readonly frameMs: readonly number[]
  /** Requests of the open trace while envelopes of other traces arrive. */
  readonly requests: number
  /** From the spans to their tree, and from there to the critical path, in Node. */
  readonly treeMs: readonly number[]
  readonly pathMs: readonly number[]
  /** Groups, gaps, self times and the critical path of a packed tree. */
  readonly workerMs: readonly number[]
  /** The same trace in Spotlight; null when it was not measured. */
  readonly spotlight: { readonly version: string; readonly firstMs: readonly number[]; readonly nodes: number } | null
}

interface TracePlan {
  readonly url: string
  readonly rounds: number
  /** Opens the trace of 10,000 spans too, in turns. */
  readonly spotlight: Spotlight | null
}

/** Opens traces of 10,000 and 100,000 spans from the list, scrolls them, and lets other traces arrive. */
export async function measureTraces(browser: Browser, plan: TracePlan): Promise<readonly TraceFigures[]> {
  const figures: TraceFigures[] = []
  for (const spans of [SMALL, LARGE]) {
    const trace = buildTrace(spans)
    await record(plan.url, trace)
    const spotlight = spans === SMALL ? plan.spotlight : null
    await spotlight?.post(trace)
    figures.push(await measureTrace(browser, { ...plan, spotlight }, trace))
  }
  return figures
}

async function measureTrace(
  browser: Browser,
  { url, rounds, spotlight }: TracePlan,
  trace: BuiltTrace,
): Promise<TraceFigures> {
  const { traceId, spans } = trace
  const link = `a[href*="${traceId}"]`
  const own: Viewer = { list: `${url}/traces?q=${encodeURIComponent('name:bench*')}`, link, rows: TRACE_ROW }
  const other: Viewer | null = spotlight && {
    list: `${spotlight.url}/telemetry/traces`,
    link: `${link}:has-text("${whole(spans)} spans")`,
    rows: 'a[href*="/spans/"]',
  }
  const [opened, others]: [Opened[], Opened[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const [viewer, found] of [
      [own, opened],
      [other, others],
    ] as const) {
      if (viewer === null) continue
      const page = await browser.newPage({ viewport: VIEWPORT })
      found.push(await open(page, viewer, trace))
      await page.close()
    }
  }
  const page = await browser.newPage({ viewport: VIEWPORT })
  await open(page, own, trace)
  const requests = await countRequests(page, url, traceId)
  await page.goto(`${url}/traces/${traceId}?with=no-groups&show=none`)
  await page.locator(TRACE_ROW).nth(5).waitFor()
  await sleep(3000)
  const frameMs = await scroll(page)
  await page.close()
  const nodesIn = (all: readonly Opened[]): number => median(all.map(({ nodes }) => nodes))
  const firstIn = (all: readonly Opened[]): readonly number[] => all.map(({ first }) => first)
  return {
    ...{ traceId, spans, firstMs: firstIn(opened), wholeMs: opened.map((one) => one.whole), nodes: nodesIn(opened) },
    ...{ frameMs, requests, ...timePaths(trace, rounds) },
    spotlight: spotlight && { version: spotlight.version, firstMs: firstIn(others), nodes: nodesIn(others) },
  }
}

/** A page that lists traces and opens one without a new document. */
interface Viewer {
  readonly list: string
  /** To the trace, when it is in the list with all its spans. */
  readonly link: string
  /** The rows of spans. */
  readonly rows: string
}

interface Opened {
  /** Until ten rows are in view, and until the page counts no more spans. */
  readonly first: number
  readonly whole: number
  readonly nodes: number
}

/** Points at the row of a trace in the list, and clicks it after a while. */
async function open(page: Page, { list, link, rows }: Viewer, { spans }: BuiltTrace): Promise<Opened> {
  await page.goto(list)
  const row = page.locator(link).first()
  await row.hover()
  await sleep(REACTION_MS)
  const found = await row.evaluate(
    (element, { longest, selector, wanted }) =>
      new Promise<Opened | number>((resolve) => {
        const began = performance.now()
        let first = 0
        const isInView = (row: Element): boolean => {
          const { height, top, bottom } = row.getBoundingClientRect()
          return height > 0 && top >= 0 && bottom <= innerHeight
        }
        const check = (): void => {
          const now = performance.now() - began
          const all = [...document.querySelectorAll(selector)]
          if (first === 0 && all.length >= wanted && all.filter(isInView).length >= wanted) first = now
          const isReading = [...document.querySelectorAll('[role=status]')].some(({ textContent }) =>
            /^[\d,]+ of [\d,]+ spans?$/.test(textContent ?? ''),
          )
          if (first > 0 && !isReading) resolve({ first, whole: now, nodes: document.querySelectorAll('*').length })
          else if (now > longest) resolve(all.length)
          else requestAnimationFrame(check)
        }
        ;(element as HTMLElement).click()
        requestAnimationFrame(check)
      }),
    { longest: LONGEST_MS, selector: rows, wanted: FIRST_ROWS },
  )
  if (typeof found !== 'number') return found
  throw new Error(
    `${list} showed ${found} rows of ${whole(spans)} spans after ${LONGEST_MS / 1000} s, not the whole trace`,
  )
}

/** Times of the tree of a trace, of the critical path in it, and of all that a worker does, with the code of the board, but in Node. */
function timePaths(trace: BuiltTrace, rounds: number): Pick<TraceFigures, 'treeMs' | 'pathMs' | 'workerMs'> {
  const spans = spansOf(trace)
  const [treeMs, pathMs, workerMs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    const tree = timeTree(buildSpanTree(spans).roots)
    const built = performance.now()
    criticalPaths(tree)
    treeMs.push(built - began)
    pathMs.push(performance.now() - built)
    const packed = packTree(tree, (tree.nodes[0]?.span.endUs ?? 0) - (tree.nodes[0]?.span.startUs ?? 0))
    const posted = performance.now()
    analysePacked(packed)
    workerMs.push(performance.now() - posted)
  }
  return { treeMs, pathMs, workerMs }
}

/** The requests of the open trace while envelopes of other traces arrive, at ten a second. */
async function countRequests(page: Page, url: string, traceId: string): Promise<number> {
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes(traceId)) requests += 1
  })
  // The page reads once more when its stream is open, which takes seconds on a busy machine.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/columns?after=')),
  )
  requests = 0
  for (let sent = 0; sent < UNRELATED; sent += 1) {
    await postTrace(url + INTAKE_PATH, buildTrace(2))
    await sleep(REACTION_MS / 4)
  }
  return requests
}

const scroll = (page: Page): Promise<readonly number[]> =>
  page.evaluate(
    ({ px, frames }) =>
      new Promise<number[]>((resolve) => {
        const scroller = document.querySelector('[role=treegrid]')?.parentElement
        if (scroller == null) throw new TypeError('the page has no waterfall')
        const times: number[] = []
        let last = performance.now()
        const step = (): void => {
          const now = performance.now()
          times.push(now - last)
          last = now
          scroller.scrollTop += px
          if (times.length < frames) requestAnimationFrame(step)
          else resolve(times.slice(1))
        }
        requestAnimationFrame(step)
      }),
    { px: SCROLLED_PX, frames: FRAMES },
  )

/** Posts a trace and waits until it is digested. */
async function record(url: string, trace: BuiltTrace): Promise<void> {
  await postTrace(url + INTAKE_PATH, trace)
  await digested(url, trace.traceId, trace.spans)
}

const digested = (url: string, traceId: string, count: number): Promise<void> =>
  waitForProgress(`the trace of ${whole(count)} spans is digested`, 60, async () => {
    const trace = await collectorClient(url, fetch).trace(traceId)
    return trace?.summary.spanCount === count ? null : `${trace?.summary.spanCount ?? 0} spans`
  })

/** A table of the figures, and a comparison with Spotlight. */
export function traceTable(figures: readonly TraceFigures[]): string {
  const table = textTable(
    ['a trace of', 'first rows ms', 'whole ms', 'nodes', 'frame p50', 'p95', 'requests', 'tree ms', 'path', 'worker'],
    figures.map(({ spans, firstMs, wholeMs, nodes, frameMs, requests, treeMs, pathMs, workerMs }) => [
      `${whole(spans)} spans`,
      ms(median(firstMs)),
      ms(median(wholeMs)),
      whole(nodes),
      ms(median(frameMs)),
      ms(percentile(frameMs, 0.95)),
      whole(requests),
      ms(median(treeMs)),
      ms(median(pathMs)),
      ms(median(workerMs)),
    ]),
  )
  const compared = figures.flatMap(({ spans, firstMs, spotlight }) =>
    spotlight === null ? [] : [comparison({ spans, firstMs, spotlight })],
  )
  return [table, ...compared].join('\n\n')
}

const comparison = ({
  spans,
  firstMs,
  spotlight,
}: Pick<TraceFigures, 'spans' | 'firstMs'> & { readonly spotlight: NonNullable<TraceFigures['spotlight']> }): string =>
  `${whole(spans)} spans, from the click to ${FIRST_ROWS} rows in view, medians of ${firstMs.length} in turns, software rendering:
Waystation ${ms(median(firstMs))} ms (${firstMs.map(ms).join(', ')}), Spotlight ${spotlight.version} ${ms(median(spotlight.firstMs))} ms (${spotlight.firstMs.map(ms).join(', ')}), ratio ${ms(ratio(firstMs, spotlight))}.
Both received the same envelopes. Spotlight's page has all spans in memory before the click, and shows the root with its closed transactions without a
further click (${whole(spotlight.nodes)} elements). Waystation reads the trace from its collector after the click; its scripts load while the pointer is on the row.`

const ratio = (firstMs: readonly number[], spotlight: NonNullable<TraceFigures['spotlight']>): number =>
  median(firstMs) / median(spotlight.firstMs)

export function traceGoals([small, large]: readonly TraceFigures[]): readonly Goal[] {
  if (small === undefined || large === undefined) return []
  const { spotlight } = small
  return [
    goalBelow(
      '10,000 spans: first rows, of the time of Spotlight',
      1,
      '',
      spotlight && ratio(small.firstMs, spotlight),
    ),
    goalBelow('10,000 spans: elements', 2000, '', small.nodes),
    goalBelow('10,000 spans: frame to frame, scrolling, median', 20, 'ms', median(small.frameMs)),
    goalBelow('the same, p95', 33, 'ms', percentile(small.frameMs, 0.95)),
    goalBelow('100,000 spans: first rows', 400, 'ms', median(large.firstMs)),
    goalBelow('100,000 spans: whole', 2500, 'ms', median(large.wholeMs)),
    goalBelow('100,000 spans: critical path', 150, 'ms', median(large.pathMs)),
    goalBelow('requests caused by other traces', 1, '', small.requests + large.requests),
  ]
}
