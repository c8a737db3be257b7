import { CACHE_DURATION_S } from '../../contract/values'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { appRequests, bareUrl, isOwnOrigin, NOT_WATCHED_REASON, urlOf } from './browser-requests'
import type { Rule, SeenRequest } from './rule'

/**
 * Checks the Cache-Control header of each file below `_next/static` on the page's origin that was answered with 200.
 * `next dev` rebuilds these files and forbids caching, so its pages are not checked.
 */
export const cacheDurationRule: Rule = {
  id: 'cache-duration',
  title: 'Immutable assets may be cached for a year',
  why: 'Requesting files again that never change makes each visit slower.',
  setting: 'cache-duration',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: 'Do not override Cache-Control for /_next/static in a proxy, a CDN or headers() of next.config.js.',
  judge: ({ requests }): Verdict => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    if (requests.some(isOfDevServer))
      return { verdict: 'incomplete', why: 'The pages were served by next dev, which forbids caching of assets.' }
    const assets = appRequests(requests).filter(
      (request) =>
        request.answer?.status === 200 &&
        isOwnOrigin(request) &&
        urlOf(request.url)?.pathname.includes('/_next/static/') === true,
    )
    const findings = assets.flatMap((request) => findingOf(request))
    return verdictOf(
      assets.length,
      findings,
      'The browser requested no asset below /_next/static on the page’s origin.',
    )
  },
}

const isOfDevServer = ({ url }: SeenRequest): boolean => /\/_next\/(?:webpack-)?hmr(?:$|[/?])|\/__nextjs_/.test(url)

function findingOf({ method, url, answer }: SeenRequest): readonly Finding[] {
  const kept = answer?.headers['cache-control'] ?? ''
  const seconds = Number(/(?:^|[\s,])max-age=(\d+)/.exec(kept)?.[1] ?? 0)
  if (seconds >= CACHE_DURATION_S && /\bimmutable\b/.test(kept)) return []
  const actual = kept === '' ? 'no Cache-Control header' : kept
  const expected = `public, max-age=${CACHE_DURATION_S}, immutable`
  return [{ about: `${method} ${bareUrl(url)}`, at: null, path: 'answer.headers.cache-control', actual, expected }]
}
