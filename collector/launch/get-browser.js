import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { explainFailure } from './explain-failure.js'
import { findInstalledBrowser, findPlaywrightsBrowser } from './find-browser.js'
import { beginProgress } from './progress.js'
import { runStep } from './run-step.js'

const RUN_PROGRAM = fileURLToPath(new URL('./run-program.js', import.meta.url))

/**
 * A browser for the tests: one of this machine, else Playwright's own, else Debian's where a machine of nobody's is
 * ours to change (root, and `CI` is set).
 * @param {{ root: string, logFile: string, env: NodeJS.ProcessEnv, stop: AbortSignal }} given
 * @returns {Promise<{ ended: 'done', path: string } | { ended: 'stopped' } | { ended: 'failed', why: string }>}
 */
export async function getBrowser({ root, logFile, env, stop }) {
  const found = findInstalledBrowser(env) ?? findPlaywrightsBrowser(root)
  if (found !== null) return { ended: 'done', path: found }
  writeFileSync(logFile, '')
  const progress = beginProgress('Getting a browser for the tests')
  const steps = [{ script: join(root, 'node_modules/@playwright/test/cli.js'), args: ['install', 'chromium'] }]
  if (process.getuid?.() === 0 && env.CI) {
    steps.push({ script: RUN_PROGRAM, args: ['apt-get', 'update'] })
    steps.push({ script: RUN_PROGRAM, args: ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'] })
  }
  for (const step of steps) {
    const end = await runStep({ ...step, cwd: root, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, logFile, stop })
    const path = findInstalledBrowser(env) ?? findPlaywrightsBrowser(root)
    if (end.ended === 'stopped' || path !== null) {
      progress.end(path === null ? 'Stopped' : `The tests have a browser: ${path}`)
      return path === null ? { ended: 'stopped' } : { ended: 'done', path }
    }
  }
  progress.end('There is no browser for the tests')
  return {
    ended: 'failed',
    why: `there is no Chromium or Chrome, and none could be got (${explainFailure(readFileSync(logFile, 'utf8'))}); install one, or name it in WAYSTATION_CHROMIUM`,
  }
}
