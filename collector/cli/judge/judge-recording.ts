import { type Attempts, withoutAttemptLosses, withoutAttempts } from '../../../lib/verdict/arrival/attempts'
import { judgeArrival } from '../../../lib/verdict/arrival/judge-arrival'
import { countEvidence } from '../../../lib/verdict/compare/count-evidence'
import type { Counts, Profile } from '../../../lib/verdict/compare/profile'
import { evaluate } from '../../../lib/verdict/expectations/evaluate'
import type { LimitedTest } from '../../../lib/verdict/expectations/limited-tests'
import type { Judged, Report } from '../../../lib/verdict/expectations/report'
import { causesFirst } from '../../../lib/verdict/reports/causes'
import { nameTests } from '../../../lib/verdict/reports/name-tests'
import { plainAdvice } from '../../../lib/verdict/reports/next-words'
import type { Losses } from '../../../lib/wire/losses'
import type { SuiteReports } from '../../runs/suite-reports'
import type { Gathered } from './gather'
import type { PlanWithBaseline } from './judging-arguments'

/** The reports of the tests, and when the tested program ended, in ms since the epoch. */
export interface Observed extends SuiteReports, Attempts {
  readonly endedAt: number
}

interface Judging {
  readonly plan: PlanWithBaseline
  readonly observed: Observed
  /** The losses of earlier attempts and of tests that set a rate limit, by stamp. */
  readonly lossesOf: ReadonlyMap<string, Losses>
  readonly profile: Profile | null
  /** See `judgeArrival`. */
  readonly browser: string | null
  /** ms since the epoch. */
  readonly now: number
  /** Checks of other sources. @param counts of the evidence */
  readonly further: (counts: Counts) => readonly Judged[]
  /** More reasons why the recording is incomplete. @param own those found here */
  readonly moreGaps?: (own: readonly string[]) => readonly string[]
}

interface JudgedRecording {
  readonly report: Report
  readonly counts: Counts
  /** Why what arrived of the tests could not be judged. */
  readonly gaps: readonly string[]
}

/** Judges the recording of a run with the reports of its tests. Pure. */
export function judgeRecording(
  { given: recorded, ...rest }: Gathered,
  { plan, observed, lossesOf, profile, browser, now, further, moreGaps = () => [] }: Judging,
): JudgedRecording {
  const { last, earlier, flaky } = observed
  const evidence = withoutAttempts(recorded.evidence, earlier)
  const counts = countEvidence(evidence)
  const { judged, gaps, abandoned, ...seen } = judgeArrival({
    tests: last,
    endedAt: observed.endedAt,
    evidence,
    counts,
    profile,
    expected: plan.plan.expect,
    browser,
  })
  const own = [...rest.gaps, ...observed.problems, ...gaps]
  const evaluated = evaluate(
    { ...recorded, evidence, ...seen },
    {
      ...rest,
      losses: withoutAttemptLosses(rest.losses, earlier, lossesOf),
      now,
      ...plan,
      tests: observed.allows,
      limited: limitedTests(observed, lossesOf),
      flaky,
      abandoned,
      gaps: [...own, ...moreGaps(own)],
      further: [...judged, ...further(counts)],
    },
  )
  return { report: causesFirst(plainAdvice(nameTests(evaluated, evidence, last), evidence, last)), counts, gaps }
}

/** The tests that set a rate limit, without earlier attempts, of which nothing is judged. */
function limitedTests(
  { limited, browsers, earlier }: Observed,
  lossesOf: ReadonlyMap<string, Losses>,
): readonly LimitedTest[] {
  return [...new Set(limited)].flatMap((stamp) => {
    const losses = lossesOf.get(stamp)
    if (losses === undefined || earlier.has(stamp)) return []
    const name = browsers.find((test) => test.stamp === stamp)?.test
    return [{ test: name === undefined ? `the test with the stamp ${stamp}` : `the test ${name}`, stamp, losses }]
  })
}
