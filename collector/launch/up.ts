import { join } from 'node:path'
import { keepCollector } from './keep-collector'
import { pause } from './pause'
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
