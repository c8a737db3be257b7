import { PREFETCH_DYNAMIC_S, PREFETCH_STATIC_S } from '../../contract/values'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, isAction, type RouterRequest, routerRequests, UNWATCHED } from './browser-requests'
import { toldDuration } from './describe'
import type { Rule } from './rule'

/** Where the router stands when it asks: the same path is another page from there, where a route intercepts it. */
const FROM = ['next-url', 'next-router-state-tree'] as const

/**
 * Judged from the requests of Next's router, where the browser was watched: within one page load, a page that was visited
 * is not asked for again from the same place within the shorter freshness, for which page may keep the longer one the
 * requests do not say. Asked from elsewhere it may be another page: a route that intercepts answers by where it is asked from.
 * Prefetches are not judged, nor is what is asked for again on purpose: by `router.refresh`, or after a server action.
 */
export const prefetchFreshnessRule: Rule = {
  id: 'prefetch-freshness',
  title: 'A page visited again within its freshness is not asked for again',
  why: 'Going back and forth between two pages would load both each time.',
  setting: 'prefetch-freshness',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set experimental.staleTimes: { dynamic: ${PREFETCH_DYNAMIC_S}, static: ${PREFETCH_STATIC_S} } in next.config.js: Next 15 and later keep a visited page for no time at all.`,
  judge: ({ requests }): Verdict => {
    if (requests === null) return { verdict: 'incomplete', why: UNWATCHED }
    const actions = requests.filter(isAction)
    const lastAsked = new Map<string, RouterRequest>()
    const findings: Finding[] = []
    let judged = 0
    for (const asked of routerRequests(requests)) {
      const { request, target } = asked
      if (asked.isPrefetch || request.document === null || request.answer?.status !== 200) continue
      judged += 1
      const key = JSON.stringify([request.document, target, ...FROM.map((name) => request.headers[name])])
      const before = lastAsked.get(key)
      lastAsked.set(key, asked)
      if (before === undefined || asked.isRefresh) continue
      const ageMs = request.startedAt - before.request.startedAt
      const wasFresh = ageMs < PREFETCH_DYNAMIC_S * 1000
      const { startedAt } = before.request
      if (!wasFresh || actions.some((action) => action.startedAt >= startedAt && action.startedAt <= request.startedAt))
        continue
      findings.push({
        about: `${request.method} ${bareUrl(target)}`,
        at: null,
        path: '',
        actual: `asked for again after ${toldDuration(ageMs * 1000)} by one page load`,
        expected: `not within ${PREFETCH_DYNAMIC_S} s`,
      })
    }
    return verdictOf(judged, findings, 'The browser’s router asked for no page.')
  },
}
