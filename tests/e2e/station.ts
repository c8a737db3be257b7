import type { Page } from '@playwright/test'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { test as base, expect, type WaystationOptions } from '../../lib/testing/playwright'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import type { TraceDetail } from '../../lib/wire/trace'
import { type RecordingFront, startRecordingFront } from './recording-front'
import { type RunningWaystation, startWaystation } from './running'

export type Lifecycle = 'static' | 'stream'

/** The whole line: a browser's front, the app, the collector and an upstream, all real but the last. */
export interface Station {
  readonly lifecycle: Lifecycle
  readonly running: RunningWaystation
  readonly front: RecordingFront
  readonly upstream: StandIn
  readonly collector: CollectorClient
  /** Resolves with a trace once it is as wanted; fails with what it is instead. */
  readonly traceOnce: (traceId: string, wanted: (trace: TraceDetail) => boolean) => Promise<TraceDetail>
  /** Every envelope that the tunnel answered 200 since the test began has reached upstream, byte for byte. */
  readonly expectByteForByte: () => Promise<void>
}

async function openStation(
  lifecycle: Lifecycle,
  env: Record<string, string>,
): Promise<Station & { close: () => Promise<void> }> {
  const upstream = await startStandIn()
  const running = await startWaystation({
    env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn), WAYSTATION_LIFECYCLE: lifecycle, ...env },
  })
  const front = await startRecordingFront(running.appUrl)
  const collector = collectorClient(running.collectorUrl, fetch)
  return {
    lifecycle,
    running,
    front,
    upstream,
    collector,
    traceOnce: async (traceId, wanted) => {
      let found: TraceDetail | null = null
      await expect
        .poll(
          async () => {
            found = await collector.trace(traceId)
            return found === null ? 'no such trace' : wanted(found) ? 'as wanted' : describe(found)
          },
          { message: `trace ${traceId}`, timeout: 20_000 },
        )
        .toBe('as wanted')
      if (found === null) throw new Error('unreachable: polled until found')
      return found
    },
    expectByteForByte: async () => {
      const sent = front.posts().filter((post) => post.status === 200)
      await expect
        .poll(
          () => {
            const arrived = new Set(upstream.received().map((post) => Buffer.from(post.body).toString('base64')))
            return sent
              .filter((post) => !arrived.has(post.body.toString('base64')))
              .map((post) => post.body.toString('utf8').slice(0, 300))
          },
          { message: 'envelopes that reached the tunnel and not upstream' },
        )
        .toEqual([])
    },
    close: async () => {
      await front.close()
      await running.stop()
      await upstream.close()
    },
  }
}

const describe = (trace: TraceDetail): string =>
  [
    ...trace.segments.map(
      (segment) => `${segment.service} ${segment.lifecycle} ${segment.op} ${segment.name} (${segment.spanCount} spans)`,
    ),
    `${trace.spans.length} spans: ${trace.spans
      .slice(0, 8)
      .map((span) => span.name)
      .join(', ')}`,
    ...trace.errors.map((error) => `${error.service} error ${error.title}`),
  ].join(' | ')

interface WorkerFixtures {
  readonly lifecycle: Lifecycle
  readonly env: Record<string, string>
  readonly station: Station
}

interface Fixtures {
  readonly violations: string[]
  readonly home: string
  /** What an error does in a test that asks for `telemetry`; `ignore` where errors are what it is about. */
  readonly unexpectedErrors: NonNullable<WaystationOptions['unexpectedErrors']>
}

/** One station per worker and lifecycle; each test has a page of its own, opened through the recorder. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  lifecycle: ['static', { option: true, scope: 'worker' }],
  env: [{}, { option: true, scope: 'worker' }],
  station: [
    async ({ lifecycle, env }, use) => {
      const station = await openStation(lifecycle, env)
      await use(station)
      await station.close()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  home: async ({ station }, use) => use(station.front.url),
  baseURL: async ({ station }, use) => use(station.front.url),
  // Most of these tests break something, or look at boards, which tell of nothing: who wants to be judged asks for it.
  waystation: async ({ station: { running }, unexpectedErrors }, use) =>
    use({ collectorUrl: running.collectorUrl, appUrl: running.appUrl, unexpectedErrors, everyTest: false }),
  unexpectedErrors: ['fail', { option: true }],
  /** What the browser held against the page's Content-Security-Policy; a test that ends with any has failed. */
  violations: [
    async ({ page }, use) => {
      const violations: string[] = []
      page.on('console', (message) => {
        if (/content security policy/i.test(message.text())) violations.push(message.text())
      })
      await use(violations)
      expect(violations).toEqual([])
    },
    { auto: true },
  ],
})

export { expect, type Page }

/** Presses an action of the lab and returns what the page says it caused. */
export async function cause(
  page: Page,
  home: string,
  id: string,
): Promise<{ traceId: string; eventId: string | null; seen: string }> {
  await page.goto(`${home}/lab`)
  await page.getByTestId(`lab-${id}`).click()
  const result = page.getByTestId(`lab-${id}-result`)
  await expect(result).toHaveAttribute('data-state', 'done')
  const event = page.getByTestId(`lab-${id}-event`)
  return {
    traceId: await page.getByTestId(`lab-${id}-trace`).innerText(),
    eventId: (await event.count()) === 0 ? null : await event.innerText(),
    seen: await result.innerText(),
  }
}

/** Follows what a page of the lab links to, and finds the trace there by what it is called. */
export async function followTrace(page: Page, id: string, row: string | RegExp): Promise<void> {
  await page.getByTestId(`lab-${id}-trace`).click()
  await expect(page.getByRole('treegrid').getByRole('row').filter({ hasText: row }).first()).toBeVisible()
}

/** Leaves the page, so that what it sends while unloading is sent, and ends on nothing. */
export async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}

/** The payloads of the items of a type in everything that reached the tunnel. */
export function tunnelled(station: Pick<Station, 'front'>, type: string): Record<string, unknown>[] {
  return station.front.posts().flatMap((post) => {
    const lines = post.body.toString('utf8').split('\n')
    const found: Record<string, unknown>[] = []
    for (let at = 1; at + 1 < lines.length; at += 2) {
      const header = JSON.parse(lines[at] ?? '{}') as { type?: string }
      if (header.type === type) found.push(JSON.parse(lines[at + 1] ?? '{}') as Record<string, unknown>)
    }
    return found
  })
}

/** What the client reports of this station account for, by reason and category. */
export function discarded(station: Pick<Station, 'front'>): Map<string, number> {
  const sum = new Map<string, number>()
  for (const report of tunnelled(station, 'client_report')) {
    for (const one of report.discarded_events as { reason: string; category: string; quantity: number }[]) {
      const key = `${one.reason} ${one.category}`
      sum.set(key, (sum.get(key) ?? 0) + one.quantity)
    }
  }
  return sum
}
