import { spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Listed, listProcesses, watchDescendants } from '../../../collector/cli/run/run-descendants'
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
  })

  it('are found by their parents, in any order, and ended after their parent has ended', async () => {
    const one = await sleeper()
    const middle = { pid: 1_000_001, parent: 1_000_000, group: 5, began: 'a' }
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
    const self = { pid: process.pid, parent: 1_000_000, group: 1_000_000, began: 'a' }
    expect(await ended([[self]], true)).toBe(0)
  })
})
