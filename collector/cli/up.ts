import { join } from 'node:path'
import { keepCollector } from './keep-collector'
import { type Handover, supervise as superviseIn } from './supervisor'

/** `npm start`: both run from a build. A collector that dies is started again; without its app it has no purpose. */
export const supervise = (handover: Handover): Promise<number> =>
  superviseIn(handover, {
    isDev: false,
    bundles: join(handover.folder, 'collector'),
    dist: join(handover.folder, 'next'),
    tsconfig: join(handover.folder, 'tsconfig.json'),
    mind: (seat, over) => keepCollector({ seat, over, now: () => performance.now(), pause, say: console.error }),
  })

const pause = (ms: number, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      over.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (over.aborted) done()
    else over.addEventListener('abort', done)
  })
