import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { hasCode } from './process-group.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * A Chromium or Chrome that is installed on this machine.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null} its path
 */
export function findInstalledBrowser(env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const named = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...named, ...MAC].find(isProgram) ?? null
}

/**
 * The Chromium that Playwright has downloaded for itself.
 * @param {string} root
 * @returns {string | null}
 */
export function findPlaywrightsBrowser(root) {
  /** @type {typeof import('@playwright/test')} */
  const { chromium } = createRequire(join(root, 'package.json'))('@playwright/test')
  const path = chromium.executablePath()
  return isProgram(path) ? path : null
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR', 'EACCES')) return false
    throw cause
  }
}
