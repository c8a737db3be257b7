import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { sleep } from '../../lib/time'
import { collectorClient } from '../../lib/wire/collector-client'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { type BenchProcess, INTAKE_PATH, startBenched, waitForProgress } from './processes'
import { type Goal, goalBelow, median, ms, percentile } from './report'
import { emptyFolder } from './resources'
import { openLoop } from './run-load'

const VISITS = 1000
/** Posts that are open at once. */
const CONNECTIONS = 20
const GOAL_FIRST_MS = 300
const GOAL_CORE_SHARE = 15
const GOAL_INPUT_MS = 100
/** Until the page has read the rest of its data. */
const REST_MS = 3000
const WATCHED_MS = 15_000
/** The header of a visit. */
export const VISIT = '[data-visit]'

export interface LiveFigures {
  /** From the start of the navigation until the first visit is in the document: in a new browser, and in each later round. */
  readonly newMs: number
  readonly firstMs: readonly number[]
  /** Parts of a core that the renderer of the page used, without load and with it. */
  readonly restShare: number
  readonly loadShare: number
  /** From a key that pauses or resumes to the end of its frame, under load. */
  readonly keyMs: readonly number[]
  readonly arrived: number
  readonly wrong: readonly string[]
}

interface LivePlan {
  /** Of this run. */
  readonly own: string
  readonly sender: BenchProcess
  readonly rounds: number
  /** Envelopes per second. */
  readonly rate: number
  readonly pressKeys: (page: Page, address: string) => Promise<readonly number[]>
}

/** Opens Live over 1,000 visits of the last hour, and watches it while page loads arrive, each a visit of its own. */
export async function measureLive(browser: Browser, plan: LivePlan): Promise<LiveFigures> {
  const collector = await startBenched({ folder: emptyFolder(join(plan.own, 'live')), upstream: null })
  try {
    await recordVisits(collector.url)
    const context = await browser.newContext()
    const newMs = await timeFirstVisit(context, collector.url)
    const firstMs: number[] = []
    for (let round = 0; round < plan.rounds; round += 1) firstMs.push(await timeFirstVisit(context, collector.url))
    await context.close()
    const page = await browser.newPage()
    await page.goto(collector.url)
    await page.locator(VISIT).first().waitFor()
    await sleep(REST_MS)
    const restShare = await shareOfCore(page)
    const arriving = plan.sender.request(openLoop(collector.url, plan.rate, Number.MAX_SAFE_INTEGER))
    await sleep(REST_MS)
    const loadShare = await shareOfCore(page)
    await page.close()
    const keyMs = await plan.pressKeys(await browser.newPage(), collector.url)
    plan.sender.notify({ stop: true })
    const { answers } = (await arriving) as { readonly answers: Readonly<Record<string, number>> }
    const wrong = Object.entries(answers).flatMap(([what, count]) => (what === '200' ? [] : [`${count} × ${what}`]))
    return { newMs, firstMs, restShare, loadShare, keyMs, arrived: answers['200'] ?? 0, wrong }
  } finally {
    await collector.stop()
  }
}

/** Posts visits of a page load with a server segment each, every tenth with an error. */
async function recordVisits(url: string): Promise<void> {
  const send = async (body: string, page: string): Promise<void> => {
    const headers = { 'x-waystation-page': page }
    const { status } = await fetch(url + INTAKE_PATH, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`the collector answered ${status} to an envelope of a visit, expected 200`)
  }
  const dsn = `${url.replace('//', '//bench@')}/1`
  const sendFrom = async (first: number): Promise<void> => {
    for (let visit = first; visit < VISITS; visit += CONNECTIONS) {
      const load = transactionEnvelope(dsn, { name: `/page/${visit % 30}`, children: 8 })
      const { traceId, spanId: parentSpanId } = load
      const server = { traceId, parentSpanId, platform: 'node', op: 'http.server', name: 'GET /page' }
      await send(load.body, `visit-${visit}`)
      await send(transactionEnvelope(dsn, server).body, `server-${visit}`)
      if (visit % 10 === 0) await send(errorEnvelope(dsn, { traceId }).body, `visit-${visit}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => sendFrom(first)))
  const client = collectorClient(url, fetch)
  await waitForProgress('all visits are digested', 100, async () => {
    const { visitCount } = await client.visits(1)
    return visitCount === VISITS ? null : String(visitCount)
  })
}

async function timeFirstVisit(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage()
  await page.addInitScript((selector) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector(selector) === null) return
      observer.disconnect()
      performance.mark('first')
    }).observe(document, { childList: true, subtree: true })
  }, VISIT)
  await page.goto(url)
  await page.locator(VISIT).first().waitFor()
  const first = await page.evaluate(() => performance.getEntriesByName('first')[0]?.startTime ?? Number.NaN)
  await page.close()
  return first
}

/** The CPU time of the page's process while it is watched, in parts of a core. */
async function shareOfCore(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const read = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    const found = metrics.find(({ name }) => name === 'ProcessTime')
    if (found === undefined) throw new Error('the browser reports no ProcessTime')
    return found.value
  }
  const [began, before] = [performance.now(), await read()]
  await sleep(WATCHED_MS)
  const used = (await read()) - before
  await devtools.detach()
  return used / ((performance.now() - began) / 1000)
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** The figures in two sentences. */
export const liveText = ({ newMs, firstMs, restShare, loadShare, keyMs, arrived }: LiveFigures): string =>
  `Live over ${VISITS} visits: first rows after ${ms(median(firstMs))} ms (median), in a new browser, which has no script yet, after ${ms(newMs)} ms. ${arrived} page loads arrived, each a visit of its own: the page used ${percent(loadShare)} of a core, before ${percent(restShare)}; ${keyMs.length} keys that pause and resume took p50 ${ms(median(keyMs))} ms, longest ${ms(Math.max(...keyMs))} ms.`

export const liveGoals = ({ firstMs, loadShare, keyMs }: LiveFigures): readonly Goal[] => [
  goalBelow('first rows of Live over 1,000 visits', GOAL_FIRST_MS, 'ms', median(firstMs)),
  goalBelow('part of a core that Live uses under load', GOAL_CORE_SHARE, '%', loadShare * 100),
  goalBelow('p95 from a key in Live to its frame, under load', GOAL_INPUT_MS, 'ms', percentile(keyMs, 0.95)),
]
