import { type Counts, factOf, type Profile } from '../compare/profile'
import type { Evidence } from '../evidence/evidence'
import { type ExpectedTelemetry, expectsNoPageloads, isExemptPage } from '../expectations/expected-telemetry'
import type { Judged } from '../expectations/report'
import type { Case } from '../rules/rule'
import { judgePosts } from './envelope-posts'
import type { ObservedTest } from './observed'
import { hasReported, judgePageloads } from './pageloads'
import { judgeServers } from './server-answers'
import { judgeSetup } from './setup'

interface Given {
  readonly tests: readonly ObservedTest[]
  readonly evidence: Evidence
  /** Facts about the evidence. */
  readonly counts: Counts
  readonly profile: Profile | null
  /** When the tested program ended, in ms since the epoch. */
  readonly endedAt: number
  /** The expectations of the configuration, for its pages. */
  readonly expected: ExpectedTelemetry
  /** A browser that the tested program ran, as the beginning of a sentence; `null` if none was seen. */
  readonly browser: string | null
}

export interface ArrivalJudgement extends Pick<Case, 'requests' | 'fallbacks'> {
  readonly judged: readonly Judged[]
  /** Why the run is incomplete; empty otherwise. */
  readonly gaps: readonly string[]
  /** See `judgePosts`. */
  readonly abandoned: ReadonlyMap<string, number>
}

/**
 * Compares what the browsers of a suite did with what arrived. Also returns their requests, for the rules that judge them.
 * Pure.
 */
export function judgeArrival({
  tests: all,
  evidence,
  counts,
  profile,
  endedAt,
  expected,
  browser,
}: Given): ArrivalJudgement {
  // A test without pages has only requests of its own.
  const tests = all.filter(({ documents, posts, requests }) => documents.length + posts.length + requests.length > 0)
  const setup = judgeSetup(tests, evidence, counts)
  if (tests.length === 0)
    return {
      judged: setup.verdict.verdict === 'fail' ? [setup] : [],
      gaps:
        all.length > 0 || browser === null || expectsNoPageloads(expected) || isFromBrowser(evidence)
          ? []
          : [unobserved(browser)],
      abandoned: new Map(),
      requests: null,
      fallbacks: null,
    }
  const { judged, gaps } = judgePageloads(tests, evidence, (path) => isExemptPage(path, expected))
  const posts = judgePosts(tests, evidence)
  const cut = tests.filter(({ isCut }) => isCut).map(({ test }) => test)
  return {
    judged: [
      ...judged,
      ...posts.judged,
      ...judgeServers(tests, evidence, { endedAt, routes: routesOf(profile) }),
      setup,
    ],
    gaps: [
      ...gaps,
      ...posts.gaps,
      ...cut.map((test) => `${test} made more requests than are observed (5,000), so the rest is not judged`),
    ],
    abandoned: posts.abandoned,
    // Names of documents are unique within a test.
    requests: tests.flatMap(({ stamp, requests }) =>
      requests.map((one) => ({ ...one, document: one.document === null ? null : `${stamp} ${one.document}` })),
    ),
    fallbacks: tests.flatMap(({ fallbacks }) => fallbacks),
  }
}

/** Did anything arrive from a page? The service of an OpenTelemetry page has any name. */
const isFromBrowser = (evidence: Evidence): boolean =>
  hasReported(evidence) || evidence.envelopes.some(({ page, origin, copy }) => !copy && (page ?? origin) !== null)

const unobserved = (browser: string): string =>
  `${browser}, its pages were not observed, and nothing arrived from them: import test from waystation/playwright, or state expect: { pageloads: { min: 1 } }; if they send nothing, expect: { pages: 'none' }`

/** Required routes of servers: `http.server GET /api/order` without its operation. */
function routesOf(profile: Profile | null): readonly string[] {
  return [...(profile?.ranges ?? [])].flatMap(([key, { least }]) => {
    const { group, section, name } = factOf(key)
    return least > 0 && section === 'routes' && group !== 'browser' ? [name.replace(/^http\.server /, '')] : []
  })
}
