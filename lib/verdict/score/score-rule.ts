import type { Finding, FoundAt, Verdict } from '../verdict'
import type { ServiceTelemetry } from './services'

/** The levels of the specification, which weigh 40, 30, 20 and 10. */
export type Impact = 'critical' | 'important' | 'normal' | 'low'

export interface ScoreContext {
  /** Ids of all recorded spans of a trace, whatever their service. */
  readonly traces: ReadonlyMap<string, ReadonlySet<string>>
  /** Traces that may lack spans, because parts of the record are missing. */
  readonly cutTraces: ReadonlySet<string>
}

/** A rule of the Instrumentation Score. Its ids, requirements and impacts are those of the specification; none may be added. */
export interface ScoreRule {
  readonly id: string
  readonly title: string
  readonly impact: Impact
  /** `incomplete` leaves the rule out of the score and gives the reason. */
  readonly judge: (service: ServiceTelemetry, context: ScoreContext) => Verdict
}

export const notJudged = (why: string): Verdict => ({ verdict: 'incomplete', why })

export const NO_RESOURCE = 'No resource and no segment was recorded.'

export const findingOf = (about: string, at: FoundAt, actual: string, expected: string, path = ''): Finding => ({
  about,
  at,
  path,
  actual,
  expected,
})
