import {
  type CheckConfig,
  type CheckPlan,
  type JudgedId,
  readConfig,
  readOnly,
} from '../../verdict/expectations/check-plan'
import { evaluate } from '../../verdict/expectations/evaluate'
import type { Report } from '../../verdict/expectations/report'
import { terminalReport } from '../../verdict/reports/terminal'
import { type ExpectationResult, verdictOf } from '../../verdict/verdict'
import type { Recording } from '../recording'
import { caseOf, judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

/** Options as in `waystation.config.ts`. Errors and losses have matchers of their own, and are checked here only if named. */
export interface ContractOptions extends CheckConfig {
  /** The only rules to check; each must have data. */
  readonly only?: readonly JudgedId[]
}

export async function toKeepTheContract(
  this: MatcherState,
  received: unknown,
  options: ContractOptions = {},
): Promise<MatcherResult> {
  const recording = recordingOf('toKeepTheContract', received)
  const given = planOf(options)
  const plan = { ...given, allow: [...given.allow, ...(recording.allowed?.() ?? [])] }
  const judge = async () => answerOf(await report(recording, plan), recording)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}

function planOf({ only, ...config }: ContractOptions): CheckPlan {
  const plan = readConfig({ errors: 'ignore', losses: 'ignore', ...config })
  const named = only === undefined ? null : readOnly(only)
  const wrong = [...(plan.ok ? [] : plan.error), ...(named === null || named.ok ? [] : named.error)]
  if (!plan.ok || wrong.length > 0) throw new TypeError(`toKeepTheContract: ${wrong.join('; ')}`)
  return { ...plan.value, only: named?.ok ? named.value : null }
}

async function report(recording: Recording, plan: CheckPlan): Promise<Report> {
  const needsLosses = plan.losses !== 'ignore' || plan.only?.includes('losses') === true
  const losses = needsLosses ? await recording.losses() : null
  const { stamp, clock } = recording
  // Gaps are reported by `judgeSettled`, as for every matcher.
  return evaluate(await caseOf(recording), { losses, plan, gaps: [], now: clock.today(), stamp })
}

function answerOf(report: Report, { boards }: Recording): ExpectationResult {
  const message = terminalReport(report.verdict === 'fail' ? withoutUnjudged(report) : report, boards).replace(
    /^\n+|\n+$/g,
    '',
  )
  const judged = report.judged.filter(({ verdict }) => verdict.verdict !== 'incomplete').length
  const negatedMessage = `the contract holds (${judged} rules passed); expected a violation`
  if (report.verdict === 'pass') return { verdict: { verdict: 'pass', judged }, message, negatedMessage }
  if (report.verdict === 'incomplete')
    return { verdict: { verdict: 'incomplete', why: 'see the report' }, message, negatedMessage }
  const findings = report.judged.flatMap(({ severity, verdict }) =>
    severity === 'error' && verdict.verdict === 'fail' ? verdict.findings : [],
  )
  return { verdict: verdictOf(judged, findings, ''), message, negatedMessage }
}

/** The report without incomplete checks: a test covers a part of an app, so they would be many and did not fail it. */
const withoutUnjudged = (report: Report): Report => ({
  ...report,
  judged: report.judged.filter(({ verdict }) => verdict.verdict !== 'incomplete'),
})
