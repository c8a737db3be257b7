import { spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browserIn, type Listed, listProcesses, watchDescendants } from '../../../collector/cli/run/run-descendants'
import { isRunning } from '../../../collector/launch/processes.js'

const FORCE = AbortSignal.abort()

/** A real process, so that signals reach something. */
async function sleeper(): Promise<Listed> {
  const { pid = 0 } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
    detached: true,
  })
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  const found = (await listProcesses()).find((one) => one.pid === pid)
  if (found === undefined) throw new Error(`process ${pid} is not listed`)
  return found
}

/** Watches a program with the pid 1000000 by these lists, the last one from then on. */
async function ended(lists: readonly (readonly Listed[])[], leadsGroup = false): Promise<number> {
  let reads = 0
  const list = async () => lists[Math.min(reads++, lists.length - 1)] ?? []
  const watched = watchDescendants(1_000_000, { leadsGroup, list })
  return watched.end(FORCE)
}

describe('descendants of a program', () => {
  it('are listed with parent, group and start', async () => {
    const one = await sleeper()
    expect(one).toMatchObject({ parent: process.pid, group: one.pid, began: expect.stringMatching(/./) })
    expect(one.commandLine()).toContain(' -e setInterval(')
  })

  it('are found by their parents, in any order, and ended after their parent has ended', async () => {
    const one = await sleeper()
    const middle = { pid: 1_000_001, parent: 1_000_000, group: 5, began: 'a', commandLine: () => '' }
    const orphan = { ...one, parent: 1 }
    expect(await ended([[{ ...one, parent: 1_000_001 }, middle], [orphan]])).toBe(1)
    await expect.poll(() => isRunning(one.pid)).toBe(false)
  })

  it('are found by the group of the program only if it leads one', async () => {
    const one = { ...(await sleeper()), parent: 1, group: 1_000_000 }
    expect(await ended([[one]])).toBe(0)
    expect(isRunning(one.pid)).toBe(true)
    expect(await ended([[one]], true)).toBe(1)
    await expect.poll(() => isRunning(one.pid)).toBe(false)
  })

  it('do not include a later process with the same pid', async () => {
    const one = await sleeper()
    const other = { ...one, parent: 1, began: 'later' }
    expect(await ended([[{ ...one, parent: 1_000_000 }], [other]])).toBe(0)
    expect(isRunning(one.pid)).toBe(true)
  })

  it('do not include this process', async () => {
    const self = { pid: process.pid, parent: 1_000_000, group: 1_000_000, began: 'a', commandLine: () => '' }
    expect(await ended([[self]], true)).toBe(0)
  })

  it('name the browser that ran, rather than the program that drove it', async () => {
    const program = { pid: 1_000_000, parent: 1, group: 1, began: 'a', commandLine: () => 'node /app/playwright test' }
    const browser = { ...program, pid: 1_000_001, parent: 1_000_000, commandLine: () => '/opt/chrome --headless' }
    const watched = async (lists: readonly (readonly Listed[])[]) => {
      let reads = 0
      const list = async () => lists[Math.min(reads++, lists.length - 1)] ?? []
      const watching = watchDescendants(1_000_000, { leadsGroup: false, list })
      await watching.end(FORCE)
      return watching.browser()?.text
    }
    expect(await watched([[program], [program]])).toBe('a browser test ran (playwright)')
    expect(await watched([[program, browser], [program]])).toBe('a browser ran (chrome)')
    expect(await watched([[{ ...program, commandLine: () => 'node app.js' }]])).toBeUndefined()
  })
})

describe('a command line', () => {
  it.each([
    ['/root/.cache/ms-playwright/chromium-1200/chrome-linux/chrome --type=renderer', 'a browser ran (chrome)'],
    ['/x/chrome-headless-shell --no-sandbox', 'a browser ran (chrome-headless-shell)'],
    ['firefox', 'a browser ran (firefox)'],
    ['/opt/webkit/minibrowser-wpe/bin/MiniBrowser --headless', 'a browser ran (MiniBrowser)'],
    ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome --x', 'a browser ran (Google Chrome)'],
    ['/usr/lib/msedge/msedge --x', 'a browser ran (msedge)'],
    ['/bin/bash /x/webkit/pw_run.sh --inspector-pipe', 'a browser test ran (pw_run.sh)'],
    ['node /app/node_modules/.bin/playwright test e2e', 'a browser test ran (playwright)'],
    ['node node_modules/@playwright/test/cli.js test', 'a browser test ran (playwright)'],
    ['sh -c cypress run', 'a browser test ran (cypress)'],
    ['chromedriver --port=9515', 'a browser test ran (chromedriver)'],
    ['npx playwright install chromium', undefined],
    ['grep -r chrome /opt/chrome/notes', undefined],
    ['node /home/me/playwright-shop/server.js', undefined],
    ['/usr/bin/chrome-gnome-shell', undefined],
    ['', undefined],
  ])('%s', (line, text) => {
    expect(browserIn(line)?.text).toBe(text)
  })
})
