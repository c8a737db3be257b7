import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, devices } from '@playwright/test'
import { browserLaunch } from './browser-launch'
import type { Lifecycle, Site } from './station'

/** Tests that start their own Playwright runs, with one lifecycle. */
const KIT = /(?:kit-(?:arrival|isolation|back-off|verdicts|other-origin|run)|sample-app)\.spec\.ts$/
/** Tests of the boards, which the collector serves; `pages` opens each one in the app. */
const BOARDS = /boards[\w-]*\.spec\.ts$/
/** The app and the collector guard the same pages. */
const ACCESS = /access\.spec\.ts$/
/** Tests of pages, error events, outages and stamps: the lifecycle of spans does not change them. */
const SAME_IN_BOTH =
  /(?:access|components|pages|own-app|feedback|consent|lab-errors|offline|outage|kit-stamp|kit-limit|tunnel-path|visitors)\.spec\.ts$/

const root = fileURLToPath(new URL('../..', import.meta.url))
const { WAYSTATION_E2E_REPORT, WAYSTATION_E2E_OUTPUT } = process.env

export default defineConfig<object, { lifecycle: Lifecycle; site: Site }>({
  testDir: '.',
  outputDir: WAYSTATION_E2E_OUTPUT ?? join(root, 'test-results'),
  workers: 4,
  fullyParallel: false,
  // A test that passes only when repeated has found a defect.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Long enough for a busy machine: a test that fails for lack of time proves nothing.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [
    ['list'],
    ...(WAYSTATION_E2E_REPORT === undefined ? [] : [['json', { outputFile: WAYSTATION_E2E_REPORT }] as const]),
  ],
  // One build serves both lifecycles of the SDK, so both are tested on it.
  projects: [
    // First, because its tests are the longest.
    { name: 'kit', testMatch: KIT },
    { name: 'boards', testMatch: [BOARDS, ACCESS], use: { site: 'collector' } },
    { name: 'static', testIgnore: [KIT, BOARDS], use: { lifecycle: 'static' } },
    { name: 'stream', testIgnore: [KIT, BOARDS, SAME_IN_BOTH], use: { lifecycle: 'stream' } },
  ],
  use: {
    ...devices['Desktop Chrome'],
    launchOptions: browserLaunch,
    // Frames of each page would cost a third of the time of all tests.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
  },
})
