import type { Page } from '@playwright/test'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { test as base, expect, type WaystationOptions } from '../../lib/kit/playwright'
import { formatDsn } from '../../lib/protocol/dsn'
import { BOARD_PATHS, FEEDBACK_PATH } from '../../lib/sdk/paths'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { WIRE_HEADER, WIRE_VERSION } from '../../lib/wire/wire-version'
import { createProgram, type Program } from './program'
import { startRecordingFront, type TunnelPost } from './recording-front'
import { type RunningWaystation, startWaystation } from './running'

export type Lifecycle = 'static' | 'stream'
/** Which program serves the pages of a test. */
export type Site = 'app' | 'collector'

/** The complete setup: recording proxy, app and collector, which are real, and a stand-in as upstream. */
export interface Station {
  readonly lifecycle: Lifecycle
  readonly site: Site
  readonly running: RunningWaystation
  /** The address that the browser opens, without a trailing slash. */
  readonly home: string
  readonly upstream: StandIn
  readonly collector: CollectorClient
  /** Every envelope that pages have posted to the tunnel, in the order of the answers. */
  readonly posts: () => readonly TunnelPost[]
  /** Expects that upstream received the bytes of every envelope that the tunnel answered with 200. */
  readonly expectByteForByte: () => Promise<void>
}

async function openStation(
  lifecycle: Lifecycle,
  site: Site,
  env: Record<string, string>,
): Promise<Station & { close: () => Promise<void> }> {
  const upstream = await startStandIn()
  const running = await startWaystation({
    app: site === 'app',
    env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn), WAYSTATION_LIFECYCLE: lifecycle, ...env },
  })
  const front = await startRecordingFront(site === 'app' ? running.appUrl : running.collectorUrl)
  return {
    lifecycle,
    site,
    running,
    home: front.url,
    upstream,
    collector: collectorClient(running.collectorUrl, fetch),
    posts: front.posts,
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
          { message: 'envelopes that the tunnel accepted but upstream did not receive' },
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
  readonly site: Site
  readonly env: Record<string, string>
  readonly station: Station
}

interface Fixtures {
  readonly violations: string[]
  readonly program: Program
  /** Effect of an unexpected error in a test that uses `telemetry`; `ignore` for tests that cause errors. */
  readonly unexpectedErrors: NonNullable<WaystationOptions['unexpectedErrors']>
}

/** Each worker and lifecycle has one station. Each test has its own page, which it opens through the proxy. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  lifecycle: ['static', { option: true, scope: 'worker' }],
  site: ['app', { option: true, scope: 'worker' }],
  env: [{}, { option: true, scope: 'worker' }],
  station: [
    async ({ lifecycle, site, env }, use) => {
      const station = await openStation(lifecycle, site, env)
      await use(station)
      await station.close()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ station }, use) => use(station.home),
  // Only tests that use `telemetry` are checked: most tests cause errors or open pages without telemetry.
  waystation: async ({ station: { home, running }, unexpectedErrors }, use) =>
    use({
      collectorUrl: running.collectorUrl,
      appUrl: running.appUrl,
      origins: [home.replace('localhost', '127.0.0.1')],
      unexpectedErrors,
      pagesWithout: [...BOARD_PATHS, FEEDBACK_PATH].flatMap((path) => [path, `${path}/*`]),
      everyTest: false,
      waitMs: 40_000,
    }),
  unexpectedErrors: ['fail', { option: true }],
  program: async ({ station, telemetry }, use) => use(createProgram(station, telemetry)),
  /** Violations of the page's Content-Security-Policy. A test with a violation fails. */
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

/** The result of a lab action, as its page shows it. */
interface ActionResult {
  readonly traceId: string
  /** Empty if the action causes no event. */
  readonly eventId: string
  readonly seen: string
}

/** Opens the lab and waits until its scripts run: before, a link loads a document, and a click is lost. */
export async function openLab(page: Page): Promise<void> {
  await page.goto('/lab')
  await expect(page.getByTestId('lab-handled-error')).toBeEnabled()
}

/** Opens the lab and runs an action. */
export async function cause(page: Page, id: string): Promise<ActionResult> {
  await openLab(page)
  return press(page, id)
}

/** Runs a lab action, which must not have run on this page before. */
export async function press(page: Page, id: string): Promise<ActionResult> {
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

/** Follows the trace link of a lab action, and expects a row with this name in the waterfall. */
export async function followTrace(page: Page, id: string, row: string | RegExp): Promise<void> {
  await page.getByTestId(`lab-${id}-trace`).click()
  await expect(page.getByRole('treegrid').getByRole('row').filter({ hasText: row }).first()).toBeVisible()
}

/** An answer of the collector with this body, for `route.fulfill`. Without the version of the wire, pages refuse it. */
export const answerOf = (json: object) => ({ json, headers: { [WIRE_HEADER]: WIRE_VERSION } })

/** Leaves the page, so that it sends its telemetry on unload. */
export async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}
