import { CACHE_DURATION_S } from '../../contract/values'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, isOwnOrigin, ofTheApp, UNWATCHED, urlOf } from './browser-requests'
import type { Rule, SeenRequest } from './rule'

/**
 * Judged from the browser's own requests: of each file below `_next/static` that was answered 200, what its answer says of
 * keeping it. Those of another origin may be somebody else's, so they are not judged. `next dev` makes these files anew, and lets none be kept, so nothing is judged where it serves the page.
 */
export const cacheDurationRule: Rule = {
  id: 'cache-duration',
  title: 'Immutable assets may be kept for a year',
  why: 'What never changes and is asked for again makes each visit slower for nothing.',
  setting: 'cache-duration',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Let no proxy, CDN or headers() of next.config.js set another Cache-Control on /_next/static.',
  judge: ({ requests }): Verdict => {
    if (requests === null) return { verdict: 'incomplete', why: UNWATCHED }
    if (requests.some(isOfDevServer))
      return { verdict: 'incomplete', why: 'The pages were served by next dev, which lets no asset be kept.' }
    const assets = ofTheApp(requests).filter(
      (request) =>
        request.answer?.status === 200 &&
        isOwnOrigin(request) &&
        urlOf(request.url)?.pathname.includes('/_next/static/') === true,
    )
    const findings = assets.flatMap((request) => findingOf(request))
    return verdictOf(
      assets.length,
      findings,
      'The browser asked for no asset below /_next/static of the page’s own origin.',
    )
  },
}

const isOfDevServer = ({ url }: SeenRequest): boolean => /\/_next\/(?:webpack-)?hmr(?:$|[/?])|\/__nextjs_/.test(url)

function findingOf({ method, url, answer }: SeenRequest): readonly Finding[] {
  const kept = answer?.headers['cache-control'] ?? ''
  const seconds = Number(/(?:^|[\s,])max-age=(\d+)/.exec(kept)?.[1] ?? 0)
  if (seconds >= CACHE_DURATION_S && /\bimmutable\b/.test(kept)) return []
  const actual = kept === '' ? 'no such header' : kept
  const expected = `public, max-age=${CACHE_DURATION_S}, immutable`
  return [{ about: `${method} ${bareUrl(url)}`, at: null, path: 'answer.headers.cache-control', actual, expected }]
}
