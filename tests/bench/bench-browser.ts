import { type Browser, chromium } from '@playwright/test'
import { findInstalledBrowser, findPlaywrightsBrowser } from '../../collector/launch/test/browser.js'
import { browserLaunch } from '../e2e/browser-launch'

/** Starts an installed Chromium, or the one of Playwright. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findInstalledBrowser(process.env) ?? findPlaywrightsBrowser(process.cwd()) ?? undefined
  return chromium.launch({ ...browserLaunch, ...(executablePath !== undefined && { executablePath }) })
}
