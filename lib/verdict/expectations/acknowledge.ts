import type { Finding } from '../verdict'
import { without } from './baseline'
import type { AcknowledgedWarning, Judged } from './report'

/**
 * Removes acknowledged warnings. A finding of a check that fails stays, unless it is minor.
 * @returns also how many were removed, and the entries that match nothing
 */
export function acknowledge(
  judged: readonly Judged[],
  entries: readonly AcknowledgedWarning[],
): {
  readonly judged: readonly Judged[]
  readonly acknowledged: number
  readonly unused: readonly AcknowledgedWarning[]
} {
  const used = new Set<AcknowledgedWarning>()
  let acknowledged = 0
  const rest = judged.map((one): Judged => {
    const { id, severity, verdict } = one
    if (verdict.verdict !== 'fail') return one
    const isOpen = (finding: Finding): boolean => {
      if (severity === 'error' && finding.isMinor !== true) return true
      const matching = entries.filter(({ check, about }) => check === id && finding.about.includes(about))
      for (const entry of matching) used.add(entry)
      return matching.length === 0
    }
    const findings = verdict.findings.filter(isOpen)
    const removed = verdict.findings.length - findings.length
    acknowledged += removed
    return removed === 0 ? one : { ...one, verdict: without(verdict, findings, verdict.found - removed) }
  })
  return { judged: rest, acknowledged, unused: entries.filter((entry) => !used.has(entry)) }
}
