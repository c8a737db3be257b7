import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, devices } from '@playwright/test'
import type { Lifecycle } from './station'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { WAYSTATION_CHROMIUM, WAYSTATION_E2E_REPORT, WAYSTATION_E2E_OUTPUT } = process.env

/** The browser speaks to this machine alone; whatever else it would look up, or call home for, does not exist. */
const SILENT = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
]

// Chromium refuses its sandbox to root, which is who runs in containers.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export default defineConfig<object, { lifecycle: Lifecycle }>({
  testDir: '.',
  outputDir: WAYSTATION_E2E_OUTPUT ?? join(root, 'test-results'),
  workers: 2,
  fullyParallel: false,
  // A test that passes at the second try has found something.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [
    ['list'],
    ...(WAYSTATION_E2E_REPORT === undefined ? [] : [['json', { outputFile: WAYSTATION_E2E_REPORT }] as const]),
  ],
  // One build serves both lifecycles of the SDK, so both are proven on it.
  projects: [
    { name: 'static', use: { lifecycle: 'static' } },
    { name: 'stream', use: { lifecycle: 'stream' } },
  ],
  use: {
    ...devices['Desktop Chrome'],
    launchOptions: {
      ...(WAYSTATION_CHROMIUM !== undefined && { executablePath: WAYSTATION_CHROMIUM }),
      args: [...sandbox, ...SILENT],
    },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
})
