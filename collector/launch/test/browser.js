import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { explainFailure } from '../explain-failure.js'
import { beginProgress, hasCode, runStep } from '../processes.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Finds or installs a browser for the tests: one of this machine, else Playwright's own. In CI as root, it also tries
 * the Chromium package of Debian.
 * @param {{ root: string, logFile: string, env: NodeJS.ProcessEnv, stop: AbortSignal }} given
 * @returns {Promise<{ ended: 'done', path: string } | { ended: 'stopped' } | { ended: 'failed', why: string }>}
 */
export async function getBrowser({ root, logFile, env, stop }) {
  const find = () => findInstalledBrowser(env) ?? findPlaywrightsBrowser(root)
  const found = find()
  if (found !== null) return { ended: 'done', path: found }
  writeFileSync(logFile, '')
  const endProgress = beginProgress('Getting a browser for the tests')
  const playwright = join(root, 'node_modules/@playwright/test/cli.js')
  const steps = [
    { program: process.execPath, args: [playwright, 'install', 'chromium'] },
    ...(process.getuid?.() === 0 && env.CI
      ? [
          { program: 'apt-get', args: ['update'] },
          { program: 'apt-get', args: ['install', '-y', '--no-install-recommends', 'chromium'] },
        ]
      : []),
  ]
  for (const step of steps) {
    const end = await runStep({ ...step, cwd: root, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, logFile, stop })
    const path = find()
    if (end.ended === 'stopped' || path !== null) {
      endProgress(path === null ? 'Stopped' : `The tests have a browser: ${path}`)
      return path === null ? { ended: 'stopped' } : { ended: 'done', path }
    }
  }
  endProgress('There is no browser for the tests')
  return {
    ended: 'failed',
    why: `there is no Chromium or Chrome, and installing one failed (${explainFailure(readFileSync(logFile, 'utf8'))}); install one, or set WAYSTATION_CHROMIUM to its path`,
  }
}

/**
 * Finds a Chromium or Chrome that is installed on this machine.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null} its path
 */
export function findInstalledBrowser(env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const named = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...named, ...MAC].find(isProgram) ?? null
}

/** Finds the Chromium that Playwright downloaded. @param {string} root @returns {string | null} its path */
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
