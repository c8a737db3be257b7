import type { CountOrder, UpstreamCount } from './messages'

/**
 * Counts the posts to this server, and answers each message of the benchmark with the counts.
 * @returns functions that count a post with its body, and a request that cannot be read
 */
export function countPosts(): { readonly add: (bodyBytes: number) => void; readonly addStrange: () => void } {
  let posts = 0
  let bytes = 0
  let strange = 0
  /** The post that starts the timing, and the times of that post and of the last one. */
  let timedFrom = 1
  let firstAt = Number.NaN
  let lastAt = Number.NaN
  process.on('message', ({ skip }: CountOrder) => {
    if (skip !== undefined) timedFrom = posts + skip + 1
    process.send?.({ posts, bytes, strange, firstAt, lastAt } satisfies UpstreamCount)
  })
  return {
    add: (bodyBytes) => {
      posts += 1
      bytes += bodyBytes
      lastAt = performance.now()
      if (posts === timedFrom) firstAt = lastAt
    },
    addStrange: () => {
      strange += 1
    },
  }
}
