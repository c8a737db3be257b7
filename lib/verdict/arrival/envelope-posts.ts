import { sumByCategory } from '../../protocol/data-category'
import type { Evidence } from '../evidence/evidence'
import type { Judged } from '../expectations/report'
import { bareUrl, pathOf, urlOf } from '../rules/browser-requests'
import { quantitiesText } from '../text'
import { type Finding, finding, verdictOf } from '../verdict'
import type { ObservedTest, SeenPost } from './observed'

/** Sentry's answer to a page that is over its limits; the check of losses judges its items. */
const RATE_LIMITED = 429

/** Was the post refused, or did the browser fail to send it? */
export const isRefused = ({ status, failure }: SeenPost): boolean =>
  status === null ? failure !== null : (status < 200 || status >= 300) && status !== RATE_LIMITED

/** The finding of a refused post: the address, and the answer's sentence. */
export function refusedPost(post: SeenPost, test: string): Finding {
  const { url, status, sentence, failure } = post
  const answer = status === null ? `not answered (${failure ?? 'no reason'})` : `answered ${status}`
  const actual = `an envelope was ${answer}${sentence === '' ? '' : `: ${sentence}`}${isUntunnelled(post) ? NO_LISTENER : ''}`
  return finding(`POST ${bareUrl(url)}`, actual, 'an answer of 2xx', test)
}

const NO_LISTENER =
  ': the page has no tunnel, and nothing listens at the address of its DSN: is the option tunnel missing in Sentry.init?'

/** Did the page post to the address of a DSN at another origin, where nothing listens? */
const isUntunnelled = ({ url, pageUrl, failure }: SeenPost): boolean =>
  /CONNECTION_REFUSED/.test(failure ?? '') &&
  /\/api\/\d+\/envelope\/?$/.test(pathOf(url)) &&
  urlOf(url)?.origin !== urlOf(pageUrl)?.origin

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

/** Was it posted by a page that was closed or left, so that nobody saw an answer? */
const isAbandoned = (post: SeenPost): boolean => post.status === null && !isRefused(post)

export interface PostJudgement {
  readonly judged: readonly Judged[]
  /** Why the run is incomplete; empty otherwise. */
  readonly gaps: readonly string[]
  /** Items that pages posted while they were closed or left, and that did not arrive, by data category. */
  readonly abandoned: ReadonlyMap<string, number>
}

/** Compares the envelopes that pages posted with those that arrived. Pure. */
export function judgePosts(tests: readonly ObservedTest[], evidence: Evidence): PostJudgement {
  const posts = tests.flatMap((test) => test.posts)
  if (posts.length === 0) return { judged: [], gaps: [], abandoned: new Map() }
  const missing = unarrived(posts, evidence)
  const lost = new Set(missing.filter((post) => !isAbandoned(post)))
  const abandoned = new Set(missing.filter(isAbandoned))
  const findings = tests.flatMap(({ test, posts: own }) =>
    own.flatMap((post) => {
      if (isRefused(post)) return [refusedPost(post, test)]
      return lost.has(post) && post.status !== RATE_LIMITED ? [lostPost(test, post)] : []
    }),
  )
  return {
    judged: [
      {
        id: 'envelope-posts',
        title: 'Each envelope that a page posted arrived',
        group: 'arrival',
        severity: 'error',
        why: 'The SDK does not repeat a post that failed: its telemetry is lost.',
        fix: 'Compare the tunnel option of Sentry.init with the path of the tunnel, and the DSN of the page with the DSN of the tunnel.',
        verdict: verdictOf(posts.length, findings, ''),
      },
    ],
    gaps: tests.flatMap(({ test, posts: own }) => {
      const items = itemsIn(own.filter((post) => abandoned.has(post)))
      return items.size === 0
        ? []
        : [`a page was closed or left while it posted ${quantitiesText(items)}, which did not arrive, in ${test}`]
    }),
    abandoned: itemsIn([...abandoned]),
  }
}

const itemsIn = (posts: readonly SeenPost[]): ReadonlyMap<string, number> =>
  sumByCategory(posts.flatMap(({ items }) => items))

const lostPost = (test: string, { url, status }: SeenPost): Finding =>
  finding(
    `POST ${bareUrl(url)}`,
    `an envelope was answered ${status}, and never arrived`,
    'an envelope in the collector',
    test,
  )

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const keyOf = ({ eventId, sentAt, bytes }: Pick<SeenPost, 'eventId' | 'sentAt' | 'bytes'>): string =>
  [eventId?.replaceAll('-', ''), sentAt, bytes].join(' ')
