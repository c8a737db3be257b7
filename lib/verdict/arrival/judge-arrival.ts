import { type Counts, factOf, type Profile } from '../compare/profile'
import type { Evidence } from '../evidence/evidence'
import type { Judged } from '../expectations/report'
import type { Case } from '../rules/rule'
import { judgePosts } from './envelope-posts'
import type { ObservedTest } from './observed'
import { judgePageloads } from './pageloads'
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
  /** Pages that need no pageload, by path. */
  readonly isExempt: (path: string) => boolean
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
export function judgeArrival({ tests, evidence, counts, profile, endedAt, isExempt }: Given): ArrivalJudgement {
  const setup = judgeSetup(tests, evidence, counts)
  if (tests.length === 0)
    return {
      judged: setup.verdict.verdict === 'fail' ? [setup] : [],
      gaps: [],
      abandoned: new Map(),
      requests: null,
      fallbacks: null,
    }
  const { judged, gaps } = judgePageloads(tests, evidence, isExempt)
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

/** Required routes of servers: `http.server GET /api/order` without its operation. */
function routesOf(profile: Profile | null): readonly string[] {
  return [...(profile?.ranges ?? [])].flatMap(([key, { least }]) => {
    const { group, section, name } = factOf(key)
    return least > 0 && section === 'routes' && group !== 'browser' ? [name.replace(/^http\.server /, '')] : []
  })
}
