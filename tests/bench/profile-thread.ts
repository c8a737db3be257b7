import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { isMainThread, threadId } from 'node:worker_threads'

/*
 * Preloaded into each thread of a process by `--import`: leaves a CPU profile in the folder that BENCH_PROFILES names
 * when the thread ends. Node's own flag for it is not allowed where a process that is started otherwise can be told.
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
