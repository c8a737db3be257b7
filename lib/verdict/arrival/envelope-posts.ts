import type { Evidence } from '../evidence/evidence'
import type { Judged } from '../expectations/report'
import { bareUrl } from '../rules/browser-requests'
import { type Finding, finding, verdictOf } from '../verdict'
import type { ObservedTest, SeenPost } from './observed'

/** Sentry's answer to a page that is over its limits; the check of losses judges its items. */
const RATE_LIMITED = 429

/** Was the post refused, or did the browser fail to send it? */
export const isRefused = ({ status, failure }: SeenPost): boolean =>
  status === null ? failure !== null : (status < 200 || status >= 300) && status !== RATE_LIMITED

/** The finding of a refused post: the address, and the answer's sentence. */
export function refusedPost({ url, status, sentence, failure }: SeenPost, about: string): Finding {
  const answer = status === null ? `not answered (${failure ?? 'no reason'})` : `answered ${status}`
  const actual = `an envelope was ${answer}${sentence === '' ? '' : `: ${sentence}`}`
  return finding(`${about}POST ${bareUrl(url)}`, actual, 'an answer of 2xx')
}

/** The posts whose envelopes did not arrive. Envelopes are recognised by id and time in their header, and by their size. */
export function unarrived(posts: readonly SeenPost[], { envelopes }: Pick<Evidence, 'envelopes'>): readonly SeenPost[] {
  const arrived = new Map<string, number>()
  for (const { header, bytes } of envelopes) {
    const key = keyOf({ eventId: textOf(header.event_id), sentAt: textOf(header.sent_at), bytes })
    arrived.set(key, (arrived.get(key) ?? 0) + 1)
  }
  return posts.filter((post) => {
    const key = keyOf(post)
    const left = arrived.get(key) ?? 0
    arrived.set(key, left - 1)
    return left <= 0
  })
}

/**
 * Compares the envelopes that pages posted with those that arrived. A post that nobody saw answered is judged by arrival
 * alone. Pure.
 */
export function judgePosts(tests: readonly ObservedTest[], evidence: Evidence): readonly Judged[] {
  const posts = tests.flatMap((test) => test.posts)
  if (posts.length === 0) return []
  const lost = new Set(unarrived(posts, evidence))
  const findings = tests.flatMap((test) =>
    test.posts.flatMap((post) => {
      if (isRefused(post)) return [refusedPost(post, `${test.test}: `)]
      return lost.has(post) && post.status !== RATE_LIMITED ? [lostPost(test.test, post)] : []
    }),
  )
  return [
    {
      id: 'envelope-posts',
      title: 'Each envelope that a page posted arrived',
      group: 'arrival',
      severity: 'error',
      why: 'The SDK does not repeat a post that failed: its telemetry is lost.',
      fix: 'Compare the tunnel option of Sentry.init with the path of the tunnel, and the DSN of the page with the DSN of the tunnel.',
      verdict: verdictOf(posts.length, findings, ''),
    },
  ]
}

const lostPost = (test: string, { url, status }: SeenPost): Finding =>
  finding(
    `${test}: POST ${bareUrl(url)}`,
    status === null
      ? 'an envelope of a page that was left never arrived'
      : `an envelope was answered ${status}, and never arrived`,
    'an envelope in the collector',
  )

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const keyOf = ({ eventId, sentAt, bytes }: Pick<SeenPost, 'eventId' | 'sentAt' | 'bytes'>): string =>
  [eventId?.replaceAll('-', ''), sentAt, bytes].join(' ')
