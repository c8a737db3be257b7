import type { Page } from '@playwright/test'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { test as base, expect, type WaystationOptions } from '../../lib/kit/playwright'
import { formatDsn } from '../../lib/protocol/dsn'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { createProgram, type Program } from './program'
import { startRecordingFront } from './recording-front'
import { type RunningWaystation, startWaystation } from './running'

export type Lifecycle = 'static' | 'stream'

/** The whole line: a browser's front, the app, the collector and an upstream, all real but the last. */
export interface Station {
  readonly lifecycle: Lifecycle
  readonly running: RunningWaystation
  /** What the browser opens; without a trailing slash. */
  readonly home: string
  readonly upstream: StandIn
  readonly collector: CollectorClient
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
  return {
    lifecycle,
    running,
    home: front.url,
    upstream,
    collector: collectorClient(running.collectorUrl, fetch),
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

interface WorkerFixtures {
  readonly lifecycle: Lifecycle
  readonly env: Record<string, string>
  readonly station: Station
}

interface Fixtures {
  readonly violations: string[]
  readonly program: Program
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
  baseURL: async ({ station }, use) => use(station.home),
  // Most of these tests break something, or look at boards, which tell of nothing: who wants to be judged asks for it.
  waystation: async ({ station: { home, running }, unexpectedErrors }, use) =>
    use({
      collectorUrl: running.collectorUrl,
      appUrl: running.appUrl,
      origins: [home.replace('localhost', '127.0.0.1')],
      unexpectedErrors,
      everyTest: false,
    }),
  unexpectedErrors: ['fail', { option: true }],
  program: async ({ station, telemetry }, use) => use(createProgram(station, telemetry)),
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

/** What a page of the lab says that an action of it caused. */
interface Caused {
  readonly traceId: string
  /** Empty where it causes no event. */
  readonly eventId: string
  readonly seen: string
}

/** Opens the lab and presses an action of it. */
export async function cause(page: Page, id: string): Promise<Caused> {
  await page.goto('/lab')
  return press(page, id)
}

/** Presses an action of the lab that was not pressed before. */
export async function press(page: Page, id: string): Promise<Caused> {
  await page.getByTestId(`lab-${id}`).click()
  const result = page.getByTestId(`lab-${id}-result`)
  await expect(result).toHaveAttribute('data-state', 'done')
  const event = page.getByTestId(`lab-${id}-event`)
  return {
    traceId: await page.getByTestId(`lab-${id}-trace`).innerText(),
    eventId: (await event.count()) === 0 ? '' : await event.innerText(),
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
