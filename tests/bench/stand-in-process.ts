import { startStandIn } from '../../collector/stand-in/stand-in'
import type { CountOrder, UpstreamCount } from './messages'

/*
 * The stand-in of the product as upstream: it parses and records envelopes and answers as Sentry does. It reports the same
 * counts as `upstream-process`.
 */
let posts = 0
let bytes = 0
/** The post that starts the timing, and the times of that post and of the last one. */
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
