import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { isMainThread, threadId } from 'node:worker_threads'

/*
 * Preloaded into each thread of a process by `--import`. Writes a CPU profile to the folder BENCH_PROFILES when the thread
 * ends. NODE_OPTIONS does not allow `--cpu-prof`.
 */
const folder = process.env.BENCH_PROFILES
if (folder !== undefined) {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.start')
  const thread = isMainThread ? 'main' : `thread-${threadId}`
  process.once('exit', () => {
    session.post('Profiler.stop', (error, result) => {
      if (error === null)
        writeFileSync(join(folder, `${process.pid}-${thread}.cpuprofile`), JSON.stringify(result.profile))
    })
  })
}
