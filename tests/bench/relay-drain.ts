import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OPEN_POSTS } from '../../collector/relay/open-posts'
import { type BenchedCollector, startBenched } from './collector-under-bench'
import { emptyFolder } from './disk'
import { cpuMicros, peakResidentBytes } from './figures'
import { digestAll, recordAll } from './fill-folder'
import type { CountOrder, UpstreamCount } from './messages'
import { type HiredProcess, hire } from './process-under-bench'
import { pendingPageLoad } from './submission'

/** How one of both went about the same bodies, as the server saw it. */
export interface Drain {
  readonly posts: number
  readonly bytes: number
  readonly perSecond: number
  /** Of the whole process, per post. */
  readonly cpuMicros: number
  readonly residentPeakBytes: number
}

/** Both begin with code that nobody has run yet: the time is taken behind so many. */
export const WARM_UP_POSTS = 2000
const LOOK_MS = 20
const STUCK_MS = 30_000

/** A folder with so many pending envelopes that arrived just now, and have their rows. */
export function fillBacklog(own: string, records: number, say: (line: string) => void): string {
  const folder = emptyFolder(join(own, 'backlog'))
  const newest = Date.now()
  const filling = { all: records, newest, at: (number: number) => pendingPageLoad(number, newest) }
  recordAll(folder, filling, say)
  digestAll(folder, filling, say)
  return folder
}

/** The bare client posts all of a folder's bodies. */
export async function drainBare(folder: string, upstream: HiredProcess, port: number): Promise<Drain> {
  const poster = await hire('poster-process', false)
  try {
    await poster.ask({ file: join(folder, 'spool.db'), port, open: OPEN_POSTS })
    const before = { ...(await countAnew(upstream)), cpu: cpuMicros(poster.pid) }
    await poster.ask({})
    return drainOf(before, await countOf(upstream), poster.pid)
  } finally {
    await poster.end()
  }
}

/** A collector that was started on a copy of the folder relays all of it. @param given.posts so many are to come. */
export async function drainOurs(
  folder: string,
  upstream: HiredProcess,
  given: { readonly own: string; readonly port: number; readonly posts: number; readonly profiles: string | undefined },
): Promise<Drain> {
  const { own, port, profiles } = given
  const copy = join(own, 'data')
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
  const before = { ...(await countAnew(upstream)), cpu: 0 }
  const collector = await startBenched({ folder: copy, upstream: port, profiles })
  try {
    await untilRelayed(collector, upstream, before.posts + given.posts)
    return drainOf(before, await countOf(upstream), collector.pid)
  } finally {
    await collector.stop()
  }
}

/** The collector is asked only when upstream has them all: to count what it owes is work, and would be measured with it. */
async function untilRelayed(collector: BenchedCollector, upstream: HiredProcess, posts: number): Promise<void> {
  await until('everything is posted', async () => {
    const count = await countOf(upstream)
    return count.posts >= posts ? null : `${count.posts} posts of ${posts}`
  })
  await until('everything is relayed', async () => {
    const { pending } = await collector.storage()
    return pending.records === 0 ? null : `${pending.records} pending`
  })
}

/** @param look `null` when it is so, else how far it is. */
async function until(what: string, look: () => Promise<string | null>): Promise<void> {
  let last = ''
  let movedAt = performance.now()
  for (let now = await look(); now !== null; now = await look()) {
    if (now !== last) movedAt = performance.now()
    last = now
    if (performance.now() - movedAt > STUCK_MS)
      throw new Error(`nothing moved for ${STUCK_MS / 1000} s before ${what}: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

const countOf = async (upstream: HiredProcess): Promise<UpstreamCount> => (await upstream.ask({})) as UpstreamCount
const countAnew = async (upstream: HiredProcess): Promise<UpstreamCount> =>
  (await upstream.ask({ skip: WARM_UP_POSTS } satisfies CountOrder)) as UpstreamCount

function drainOf(before: UpstreamCount & { readonly cpu: number }, after: UpstreamCount, pid: number): Drain {
  const posts = after.posts - before.posts
  return {
    posts,
    bytes: after.bytes - before.bytes,
    perSecond: ((posts - WARM_UP_POSTS - 1) / (after.lastAt - after.firstAt)) * 1000,
    cpuMicros: (cpuMicros(pid) - before.cpu) / Math.max(1, posts),
    residentPeakBytes: peakResidentBytes(pid),
  }
}
