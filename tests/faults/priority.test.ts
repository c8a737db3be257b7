import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:process'
import { afterEach, expect, inject, it } from 'vitest'
import { cleanUp, newTestFolder } from './test-folder'

const program = inject('faultsProgram')
afterEach(cleanUp)

/** The nice value of each thread of a process: field 19 of its `stat`; the name in field 2 may contain spaces. */
function niceValues(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map((task) => {
    const stat = readFileSync(`${tasks}/${task}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}

// Only Linux has a priority per thread.
it.skipIf(platform !== 'linux')(
  'runs the threads that store, digest and evict at the priority of the process',
  async () => {
    const [own] = niceValues(process.pid)
    const collector = await newTestFolder(program).start()
    await collector.fill(3)
    await collector.digested()
    const found = niceValues(collector.pid)
    expect(found.length).toBeGreaterThan(4)
    expect(found.filter((nice) => nice !== own)).toEqual([])
  },
)
