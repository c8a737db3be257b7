import { join } from 'node:path'
import { describeExit } from './child-process'
import { type Handover, supervise as superviseIn } from './supervisor'

/** `npm start`: both run from a build; when one of them ends, the other has no purpose. */
export const supervise = (handover: Handover): Promise<number> =>
  superviseIn(handover, {
    isDev: false,
    bundles: join(handover.folder, 'collector'),
    dist: join(handover.folder, 'next'),
    tsconfig: join(handover.folder, 'tsconfig.json'),
    mind: async (seat) => `The collector ended by itself (${describeExit(await seat.current.child.exited)}).`,
  })
