import { plural } from '../format'
import { evaluate } from '../verdict/expectations/evaluate'
import type { Judged, Report } from '../verdict/expectations/report'
import { causesFirst } from '../verdict/reports/causes'
import { plainAdvice } from '../verdict/reports/next-words'
import { joined, type Line, line, own } from './answer'
import { received } from './received'
import type { AskSources, RecordedPart } from './sources'

/** Judges a part of the recording as `waystation check` does, causes first. */
export async function judge(
  { plan, now }: Pick<AskSources, 'plan' | 'now'>,
  { given, ...part }: RecordedPart,
  stamp: string | null,
): Promise<Report> {
  const report = evaluate(given, { ...part, now: now(), stamp, plan: await plan() })
  return causesFirst(plainAdvice(report, given.evidence, []))
}

/** The verdict in one line, then each failed check that is no consequence of another one. */
export function verdictLines({ verdict, reasons, judged }: Report): readonly Line[] {
  const failed = judged.filter((one) => one.verdict.verdict === 'fail' && one.follows === undefined)
  const count = (severity: Judged['severity']): number => failed.filter((one) => one.severity === severity).length
  return [
    joined([
      line`Verdict: ${own(verdict)}`,
      count('error') === 0 ? null : own(plural(count('error'), 'failed check')),
      count('warning') === 0 ? null : own(plural(count('warning'), 'warning')),
      ...reasons.map((reason) => received('reason', reason)),
    ]),
    ...failed.map(({ id, severity, title, verdict: ended }) =>
      joined([
        own(`${severity === 'error' ? 'failed' : 'warning'}: ${title} (${id})`),
        ...(ended.verdict === 'fail' ? ended.findings.slice(0, 1) : []).map(({ about, actual }) =>
          joined([received('about', about), received('actual', actual)], ': '),
        ),
      ]),
    ),
  ]
}
