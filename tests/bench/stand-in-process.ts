import { startStandIn } from '../../collector/stand-in/stand-in'
import { countPosts } from './counted-posts'

/*
 * The stand-in of the product as upstream: it parses and records envelopes and answers as Sentry does. It reports the same
 * counts as `upstream-process`.
 */
const counted = countPosts()
const standIn = await startStandIn()

async function count(): Promise<never> {
  for (;;) counted.add((await standIn.nextPost()).body.length)
}

void count()
process.send?.({ port: Number(new URL(`http://${standIn.dsn.host}`).port) })
