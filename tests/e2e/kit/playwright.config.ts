import { defineConfig } from '@playwright/test'
import type { WaystationTestOptions } from '../../../lib/kit/playwright'
import { browserLaunch } from '../browser-launch'

const { KIT_PAGE_URL, KIT_OUTPUT } = process.env

/** Configuration of nested test runs: an outer test checks the results that the kit reports. */
export default defineConfig<WaystationTestOptions>({
  testDir: '.',
  testMatch: /\.nested\.ts$/,
  ...(KIT_OUTPUT !== undefined && { outputDir: KIT_OUTPUT }),
  fullyParallel: true,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['json']],
  use: {
    ...(KIT_PAGE_URL !== undefined && { baseURL: KIT_PAGE_URL }),
    launchOptions: browserLaunch,
  },
})
