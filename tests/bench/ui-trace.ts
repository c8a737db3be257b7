import type { Browser, Page } from '@playwright/test'
import { sleep } from '../../lib/time'
import { collectorClient } from '../../lib/wire/collector-client'
import { randomFrom } from '../faults/random'
import { INTAKE_PATH, waitForProgress } from './processes'
import { type Goal, goalBelow, median, ms, percentile, textTable, whole } from './report'

const SMALL = 10_000
const LARGE = 100_000
/** Of one transaction, with the segment. */
const SPANS_EACH = 1000
const SCROLLED_PX = 1500
const FRAMES = 100
/** A person clicks so long after pointing at a row. */
const REACTION_MS = 400
const LONGEST_MS = 30_000
const UNRELATED = 100

export interface TraceFigures {
  readonly spans: number
  /** From the click in the list to the first rows, and until all spans are counted. */
  readonly firstMs: readonly number[]
  readonly wholeMs: readonly number[]
  readonly nodes: number
  /** Time from frame to frame while every frame scrolls by 1,500 px. */
  readonly frameMs: readonly number[]
  /** Requests of the open trace while envelopes of other traces arrive. */
  readonly requests: number
}

/** Opens traces of 10,000 and 100,000 spans from the list, scrolls them, and lets other traces arrive. */
export async function measureTraces(browser: Browser, url: string, rounds: number): Promise<readonly TraceFigures[]> {
  const figures: TraceFigures[] = []
  for (const spans of [SMALL, LARGE]) {
    const traceId = await postTrace(url, spans)
    figures.push(await measureTrace(browser, url, { traceId, spans }, rounds))
  }
  return figures
}

interface Opened {
  readonly traceId: string
  readonly spans: number
}

async function measureTrace(browser: Browser, url: string, trace: Opened, rounds: number): Promise<TraceFigures> {
  const [firstMs, wholeMs]: [number[], number[]] = [[], []]
  for (let round = 0; ; round += 1) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const opened = await open(page, url, trace)
    firstMs.push(opened.first)
    wholeMs.push(opened.whole)
    if (round < rounds - 1) {
      await page.close()
      continue
    }
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    const requests = await countRequests(page, url, trace.traceId)
    await page.goto(`${url}/traces/${trace.traceId}?with=no-groups&show=none`)
    await page.locator('tr[data-row]').nth(5).waitFor()
    await sleep(3000)
    const frameMs = await scroll(page)
    await page.close()
    return { spans: trace.spans, firstMs, wholeMs, nodes, frameMs, requests }
  }
}

/** Points at the row of a trace in the list, and clicks it after a while. */
async function open(
  page: Page,
  url: string,
  { traceId }: Opened,
): Promise<{ readonly first: number; readonly whole: number }> {
  await page.goto(`${url}/traces?q=${encodeURIComponent('name:bench*')}`)
  const link = page.locator(`a[href*="${traceId}"]`).first()
  await link.hover()
  await sleep(REACTION_MS)
  return link.evaluate(
    (element, { longest }) =>
      new Promise<{ first: number; whole: number }>((resolve) => {
        const began = performance.now()
        let first = 0
        const check = (): void => {
          const now = performance.now() - began
          if (first === 0 && document.querySelectorAll('tr[data-row]').length > 2) first = now
          const isReading = [...document.querySelectorAll('[role=status]')].some(({ textContent }) =>
            /^[\d,]+ of [\d,]+ spans?$/.test(textContent ?? ''),
          )
          if ((first > 0 && !isReading) || now > longest) resolve({ first, whole: now })
          else requestAnimationFrame(check)
        }
        ;(element as HTMLElement).click()
        requestAnimationFrame(check)
      }),
    { longest: LONGEST_MS },
  )
}

/** The requests of the open trace while envelopes of other traces arrive, at ten a second. */
async function countRequests(page: Page, url: string, traceId: string): Promise<number> {
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes(traceId)) requests += 1
  })
  // The page reads once more when its stream is open.
  await sleep(2000)
  requests = 0
  for (let sent = 0; sent < UNRELATED; sent += 1) {
    await postTrace(url, 2)
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

const OPS = ['db.query', 'http.client', 'function', 'cache.get'] as const

/** Posts a trace of this many spans in transactions of at most 1,000, and waits until it is digested. */
async function postTrace(url: string, count: number): Promise<string> {
  const draw = randomFrom(count)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const root = newSpanId()
  await post(url, traceId, { spanId: root, parentSpanId: null, from: 0, to: 50, children: [] })
  for (let left = count - 1, at = 0; left > 0; at += 1) {
    const size = Math.min(left, SPANS_EACH)
    left -= size
    const [spanId, from] = [newSpanId(), (at * 0.4) % 45]
    const ids = [spanId]
    const children = Array.from({ length: size - 1 }, (_, index) => {
      const id = newSpanId()
      const parent = ids[draw.between(0, Math.min(ids.length, 80) - 1)] ?? spanId
      ids.push(id)
      const startsAt = from + draw.between(0, 4000) / 1000
      return {
        ...{ trace_id: traceId, span_id: id, parent_span_id: parent, status: 'ok' },
        ...{ op: OPS[index % OPS.length], description: `${OPS[index % OPS.length]} ${index % 500}` },
        ...{ start_timestamp: start(startsAt), timestamp: start(startsAt + draw.between(1, 300) / 1000) },
      }
    })
    await post(url, traceId, { spanId, parentSpanId: root, from, to: from + 4.5, children })
  }
  if (count > 2) await digested(url, traceId, count)
  return traceId
}

const START_S = 1_795_000_000
const start = (seconds: number): number => START_S + seconds
const newSpanId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16)

interface Segment {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly from: number
  readonly to: number
  readonly children: readonly object[]
}

async function post(
  url: string,
  traceId: string,
  { spanId, parentSpanId, from, to, children }: Segment,
): Promise<void> {
  const eventId = crypto.randomUUID().replaceAll('-', '')
  const trace = { trace_id: traceId, span_id: spanId, op: 'http.server', status: 'ok' }
  const transaction = {
    ...{ type: 'transaction', event_id: eventId, transaction: `bench ${from}`, platform: 'node', spans: children },
    ...{ start_timestamp: start(from), timestamp: start(to) },
    contexts: { trace: parentSpanId === null ? trace : { ...trace, parent_span_id: parentSpanId } },
  }
  const body = [{ event_id: eventId }, { type: 'transaction' }, transaction]
    .map((one) => JSON.stringify(one))
    .join('\n')
  const { status } = await fetch(url + INTAKE_PATH, { method: 'POST', body })
  if (status !== 200) throw new Error(`the collector answered ${status} to a transaction, expected 200`)
}

const digested = (url: string, traceId: string, count: number): Promise<void> =>
  waitForProgress(`the trace of ${whole(count)} spans is digested`, 60, async () => {
    const trace = await collectorClient(url, fetch).trace(traceId)
    return trace?.summary.spanCount === count ? null : `${trace?.summary.spanCount ?? 0} spans`
  })

/** A table of the figures. */
export const traceTable = (figures: readonly TraceFigures[]): string =>
  textTable(
    ['a trace of', 'first rows ms', 'whole ms', 'nodes', 'frame p50', 'p95', 'requests'],
    figures.map(({ spans, firstMs, wholeMs, nodes, frameMs, requests }) => [
      `${whole(spans)} spans`,
      ms(median(firstMs)),
      ms(median(wholeMs)),
      whole(nodes),
      ms(median(frameMs)),
      ms(percentile(frameMs, 0.95)),
      whole(requests),
    ]),
  )

export function traceGoals([small, large]: readonly TraceFigures[]): readonly Goal[] {
  if (small === undefined || large === undefined) return []
  return [
    goalBelow('10,000 spans: elements', 2000, '', small.nodes),
    goalBelow('10,000 spans: frame to frame, scrolling, median', 20, 'ms', median(small.frameMs)),
    goalBelow('the same, p95', 33, 'ms', percentile(small.frameMs, 0.95)),
    goalBelow('100,000 spans: first rows', 400, 'ms', median(large.firstMs)),
    goalBelow('100,000 spans: whole', 2500, 'ms', median(large.wholeMs)),
    goalBelow('requests caused by other traces', 1, '', small.requests + large.requests),
  ]
}
