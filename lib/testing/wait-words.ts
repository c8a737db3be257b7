import type { Evidence } from '../evidence/evidence'
import type { Boards } from '../expectations/answer'
import type { Criteria } from '../expectations/criteria'
import { explainMissing } from '../expectations/explain'
import type { Kind, Kinds } from '../expectations/kinds'

/** How a wait came to nothing. */
export type WaitEnd =
  | { readonly ended: 'late'; readonly afterMs: number }
  /** Whoever began it gave it up, nothing more can be read, or the recording was closed. */
  | { readonly ended: 'over'; readonly why: string }

const NOT_WATCHED =
  'in Playwright, what pages send of a context that the test made itself is the test’s after telemetry.watch(context)'

/** The words of a wait that came to nothing: what was wanted, the nearest miss, what else arrived. */
export function waitWords<Name extends Kind>(
  wait: { readonly kind: Name; readonly criteria: Criteria<Kinds[Name]>; readonly evidence: Evidence },
  end: WaitEnd,
  boards: Boards,
): string {
  const waitedMs = end.ended === 'late' ? end.afterMs : null
  const missing = explainMissing({ ...wait, waitedMs }, boards)
  const hint = end.ended === 'late' && wait.evidence.envelopes.length === 0 ? `\n${NOT_WATCHED}` : ''
  return end.ended === 'late' ? `${missing}${hint}` : `${end.why}\n\n${missing}`
}
