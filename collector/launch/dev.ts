import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { colouredText } from '../../lib/format'
import { type Child, describeExit, startChild } from './child-process'
import { stopCollector } from './start-collector'
import { type CurrentCollector, type SuperviseInput, supervise as superviseMode } from './supervisor'

/** `npm run dev`: Next reloads the app; this module bundles and restarts the collector when its code changes. */
export const supervise = (input: SuperviseInput): Promise<number> =>
  superviseMode(input, {
    isDev: true,
    bundles: input.folder,
    // Next locks this folder, so a second session needs another one.
    dist: resolve(input.root, process.env.WAYSTATION_DIST || join(input.root, '.build/dev')),
    tsconfig: join(input.folder, 'tsconfig.json'),
    watchCollector: (collector, stopping) => restartOnChange(collector, stopping, input),
  })

/** Never resolves: when a half-finished change breaks the collector, the app keeps running until the next change. */
async function restartOnChange(
  collector: CurrentCollector,
  stopping: AbortSignal,
  { root, folder, stop }: SuperviseInput,
): Promise<never> {
  let running = hashBundles(folder)
  const replaced = new Set<Child>()
  const reportEnd = (child: Child) =>
    child.exited.then((exit) => {
      if (replaced.has(child) || stopping.aborted) return
      console.error(`The collector ended (${describeExit(exit)}); it starts again when its code changes.`)
    })
  const restart = async () => {
    const built = hashBundles(folder)
    if (built === running || stopping.aborted) return
    running = built
    replaced.add(collector.current.child)
    await stopCollector(collector.current, stop.again)
    if (stopping.aborted) return
    collector.current = collector.start()
    collector.current.lines.passThrough()
    reportEnd(collector.current.child)
    if ((await collector.current.ready).ok) console.error('The collector was restarted.')
  }
  reportEnd(collector.current.child)
  const bundler = startChild({
    nodeFlags: [],
    script: join(root, 'collector/launch/build/watch.js'),
    args: [root, folder],
    cwd: root,
    env: process.env,
    graceMs: 0,
    onLine: (line) => console.error(colouredText(line)),
    // It reports nothing but a new bundle, and waits for an answer.
    onMessage: () => {
      restart()
        .catch((cause: unknown) => console.error(`The collector could not be restarted: ${String(cause)}`))
        .finally(() => bundler.send({ type: 'loaded' }))
    },
  })
  stopping.addEventListener('abort', bundler.kill, { once: true })
  const exit = await bundler.exited
  if (!stopping.aborted)
    console.error(
      `The bundler ended (${describeExit(exit)}): changes of the collector are not seen until npm run dev starts again.`,
    )
  return new Promise<never>(() => undefined)
}

/** Hashes the bundles that the collector loads: not those of the supervisor and the commands. */
function hashBundles(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) {
    if (/^main\.js$|-thread\.js$/.test(name)) hash.update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}
