import type { ObservedTest } from '../arrival/observed'
import type { Evidence } from '../evidence/evidence'
import type { Judged, Report } from '../expectations/report'

/** Advice about files and exports of Next, and the same for another framework. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ \(instrumentation(?:-client)?\.ts\)/g, ''],
  [/ in instrumentation-client\.ts/g, ' in the page'],
  [
    /Export onRequestError = Sentry\.captureRequestError from instrumentation\.ts\./g,
    'Does the server report errors of its handlers, for example with Sentry.setupExpressErrorHandler(app)?',
  ],
  [/is onRequestError exported from instrumentation\.ts/g, 'does the server report errors of its handlers'],
]

const withoutNext = (text: string): string => WORDS.reduce((rest, [next, plain]) => rest.replaceAll(next, plain), text)

/** The report without words of Next, unless an SDK for Next or a request to `/_next/` was seen. Pure. */
export function plainAdvice(
  report: Report,
  { envelopes, events }: Pick<Evidence, 'envelopes' | 'events'>,
  tests: readonly Pick<ObservedTest, 'requests'>[],
): Report {
  const isNext =
    [...envelopes, ...events].some(({ sdk }) => sdk === 'sentry.javascript.nextjs') ||
    tests.some(({ requests }) => requests.some(({ url }) => url.includes('/_next/')))
  if (isNext) return report
  return {
    ...report,
    reasons: report.reasons.map(withoutNext),
    gaps: report.gaps.map(withoutNext),
    judged: report.judged.map(
      (one): Judged => ({ ...one, fix: withoutNext(one.fix), verdict: plainVerdict(one.verdict) }),
    ),
  }
}

function plainVerdict(verdict: Judged['verdict']): Judged['verdict'] {
  if (verdict.verdict !== 'fail') return verdict
  return {
    ...verdict,
    findings: verdict.findings.map((finding) => ({ ...finding, actual: withoutNext(finding.actual) })),
  }
}
