import type { ObservedTest } from '../arrival/observed'
import type { Evidence } from '../evidence/evidence'
import type { Report } from '../expectations/report'
import type { Finding, FoundAt } from '../verdict'

/**
 * Adds the title of its test to each finding: that of the stamp of the item, else that of the trace, which a server without
 * stamps continues. A finding that names its test keeps it. Pure.
 */
export function nameTests(
  report: Report,
  { envelopes, items, segments }: Pick<Evidence, 'envelopes' | 'items' | 'segments'>,
  tests: readonly Pick<ObservedTest, 'stamp' | 'test'>[],
): Report {
  const titles = new Map(tests.map(({ stamp, test }) => [stamp, test]))
  const stamps = new Map<string, string | null>([
    ...envelopes.map(({ seq, stamp }) => [`${seq}`, stamp] as const),
    ...items.map(({ seq, item, stamp }) => [`${seq} ${item}`, stamp] as const),
  ])
  const traces = new Map<string, string>()
  for (const { traceId, stamp } of [...items, ...segments])
    if (traceId !== null && stamp !== null) traces.set(traceId, stamp)
  const stampOf = ({ seq, item, traceId }: FoundAt): string | null =>
    stamps.get(item < 0 ? `${seq}` : `${seq} ${item}`) ?? (traceId ? (traces.get(traceId) ?? null) : null)
  const named = (finding: Finding): Finding => {
    if (finding.test || finding.at === null) return finding
    const test = titles.get(stampOf(finding.at) ?? '')
    return test === undefined ? finding : { ...finding, test }
  }
  return {
    ...report,
    judged: report.judged.map((one) =>
      one.verdict.verdict === 'fail'
        ? { ...one, verdict: { ...one.verdict, findings: one.verdict.findings.map(named) } }
        : one,
    ),
  }
}
