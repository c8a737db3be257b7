import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { context, formatMessages } from 'esbuild'
import { buildsFolder } from './build-folder.js'
import { bundleOptions } from './bundle.js'
import { type Child, describeExit } from './child-process'
import { stopInOrder } from './stop-in-order'
import { type CollectorSeat, type Handover, supervise as superviseIn } from './supervisor'

const STOPS_WITHIN_MS = 6_500

/** `npm run dev`: Next reloads the app by itself; the collector is bundled again and restarted when its code changed. */
export const supervise = (handover: Handover): Promise<number> =>
  superviseIn(handover, {
    isDev: true,
    bundles: handover.folder,
    // Next locks the folder it develops in, so that a second session needs another.
    dist: resolve(handover.root, process.env.WAYSTATION_DIST || join(buildsFolder(handover.root), 'dev')),
    tsconfig: join(handover.folder, 'tsconfig.json'),
    mind: (seat, over) => restartOnChange(seat, over, handover),
  })

/**
 * Never settles: a collector that a half-written change has broken is mended by the next change, and the app stays up
 * meanwhile.
 */
async function restartOnChange(
  seat: CollectorSeat,
  over: AbortSignal,
  { root, folder, stop }: Handover,
): Promise<never> {
  let running = hashCollector(folder)
  let work = Promise.resolve()
  const replaced = new Set<Child>()
  const tellOwnEnd = (child: Child) =>
    child.exited.then((exit) => {
      if (replaced.has(child) || over.aborted) return
      console.error(`The collector ended (${describeExit(exit)}); it starts again at the next change of its code.`)
    })
  const restart = async () => {
    const built = hashCollector(folder)
    if (built === running || over.aborted) return
    running = built
    const { child, stop: ask } = seat.current
    replaced.add(child)
    await stopInOrder([{ child, stop: ask, withinMs: STOPS_WITHIN_MS }], stop.again)
    if (over.aborted) return
    seat.current = seat.start()
    seat.current.lines.passOn()
    tellOwnEnd(seat.current.child)
    if ((await seat.current.ready).ok) console.error('The collector was restarted.')
  }
  const bundling = await context({
    ...bundleOptions(root, folder),
    plugins: [
      {
        name: 'restart',
        setup: (build) =>
          build.onEnd(async ({ errors }) => {
            for (const text of await formatMessages(errors, { kind: 'error' })) console.error(text)
            if (errors.length > 0) return
            work = work.then(restart)
            await work
          }),
      },
    ],
  })
  tellOwnEnd(seat.current.child)
  await bundling.watch()
  return new Promise<never>(() => undefined)
}

/** What the collector runs of the bundles; the supervisor's own are not among it. */
function hashCollector(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) {
    if (/^main\.js$|-thread\.js$/.test(name)) hash.update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}
