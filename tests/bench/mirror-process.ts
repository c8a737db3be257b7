import { join } from 'node:path'
import { Checkpointer } from '../../collector/runtime/checkpointer'
import { openForWriting } from '../../collector/runtime/database'
import { Mirror } from '../../collector/spool/mirror/mirror'
import { migrate } from '../../collector/spool/schema'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import { MirrorFollower } from '../../collector/spool-postgres/follow/mirror-follower'
import { sleep } from '../../lib/time'
import type { MirrorOrder, MirrorWork } from './store-orders'

/* The mirror of a collector of its own: only polls tell it of new records. Nothing digests them. */

const times: (readonly [number, number])[] = []
let records = 0
let newest = 0
let answerIfReady: () => void = () => undefined

// A child does not keep running because of its IPC channel alone, and this one has no other work yet.
process.channel?.ref()
process.on('message', (order: MirrorOrder) => {
  if ('follow' in order) {
    follow(order.follow, order.folder)
    process.send?.({ records, times: [] } satisfies MirrorWork)
    return
  }
  answerIfReady = () => {
    if ('until' in order ? newest < order.until : records < order.records) return
    answerIfReady = () => undefined
    process.send?.({ records, times: 'until' in order ? times : [] } satisfies MirrorWork)
  }
  answerIfReady()
})

function follow(url: string, folder: string): void {
  const db = openForWriting(join(folder, 'spool.db'), 'NORMAL')
  migrate(db)
  const checkpointer = new Checkpointer(db, Date.now)
  const mirror = new Mirror(db, { now: Date.now, monotonic: () => performance.now() })
  const follower = new MirrorFollower({
    connection: new StoreConnection(url),
    mirror,
    now: Date.now,
    log: console.error,
    wake: () => undefined,
    // As one that was away: from the first fact on.
    startFacts: Number.MAX_SAFE_INTEGER,
    pause: (ms) => sleep(ms),
    publish: ({ received = [], facts }) => {
      const now = performance.timeOrigin + performance.now()
      records += received.length
      for (const { kind, n } of facts) if (kind === 'received') times.push([n, now])
      newest = Math.max(newest, facts.at(-1)?.n ?? 0)
      checkpointer.checkpointIfGrown()
      answerIfReady()
    },
  })
  follower.run().catch((error: Error) => {
    console.error(error.stack)
    process.exit(1)
  })
}
