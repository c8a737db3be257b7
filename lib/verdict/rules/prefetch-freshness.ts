import { PREFETCH_DYNAMIC_S, PREFETCH_STATIC_S } from '../../contract/values'
import { durationText } from '../text'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, isAction, NOT_WATCHED_REASON, type RouterRequest, routerRequests } from './browser-requests'
import type { Rule } from './rule'

/** Headers with the page that the request comes from: an intercepting route answers by it. */
const FROM = ['next-url', 'next-router-state-tree'] as const

/**
 * Checks the requests of the Next.js router: within one page load, a visited page is not requested again from the same
 * page within the dynamic freshness. Requests do not show which pages have the longer static freshness. From another page
 * the answer may differ (intercepting routes). Prefetches, `router.refresh` and requests after a server action are left out.
 */
export const prefetchFreshnessRule: Rule = {
  id: 'prefetch-freshness',
  title: 'A page visited again while fresh is not requested again',
  why: 'Otherwise every move between two pages loads both again.',
  setting: 'prefetch-freshness',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'off',
  contractSeverity: 'error',
  fix: `Set experimental.staleTimes: { dynamic: ${PREFETCH_DYNAMIC_S}, static: ${PREFETCH_STATIC_S} } in next.config.js: Next.js 15 and later do not cache visited pages by default.`,
  judge: ({ requests }): Verdict => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    const actions = requests.filter(isAction)
    const lastRequest = new Map<string, RouterRequest>()
    const findings: Finding[] = []
    let judged = 0
    for (const visit of routerRequests(requests)) {
      const { request, target } = visit
      if (visit.isPrefetch || request.document === null || request.answer?.status !== 200) continue
      judged += 1
      const key = JSON.stringify([request.document, target, ...FROM.map((name) => request.headers[name])])
      const before = lastRequest.get(key)
      lastRequest.set(key, visit)
      if (before === undefined || visit.isRefresh) continue
      const ageMs = request.startedAt - before.request.startedAt
      const wasFresh = ageMs < PREFETCH_DYNAMIC_S * 1000
      const { startedAt } = before.request
      if (!wasFresh || actions.some((action) => action.startedAt >= startedAt && action.startedAt <= request.startedAt))
        continue
      findings.push({
        about: `${request.method} ${bareUrl(target)}`,
        at: null,
        path: '',
        actual: `requested again after ${durationText(ageMs * 1000)} in one page load`,
        expected: `no request within ${PREFETCH_DYNAMIC_S} s`,
      })
    }
    return verdictOf(judged, findings, 'The Next.js router requested no page.')
  },
}
