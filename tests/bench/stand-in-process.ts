import { startStandIn } from '../../collector/stand-in/stand-in'
import type { CountOrder, UpstreamCount } from './messages'

/*
 * Plays upstream as the product does: what reads an envelope, remembers it and answers as Sentry would. It counts as the
 * other server of the benches does.
 */
let posts = 0
let bytes = 0
/** From which post on the time is taken, and when that and the last one were there whole. */
let timedFrom = 1
let firstAt = Number.NaN
let lastAt = Number.NaN

const standIn = await startStandIn()

async function count(): Promise<never> {
  for (;;) {
    const { body } = await standIn.nextPost()
    posts += 1
    bytes += body.length
    lastAt = performance.now()
    if (posts === timedFrom) firstAt = lastAt
  }
}

void count()
process.on('message', ({ skip }: CountOrder) => {
  if (skip !== undefined) timedFrom = posts + skip + 1
  process.send?.({ posts, bytes, strange: 0, firstAt, lastAt } satisfies UpstreamCount)
})
process.send?.({ port: Number(new URL(`http://${standIn.dsn.host}`).port) })
