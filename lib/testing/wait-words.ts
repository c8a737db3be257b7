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

/** The words of a wait that came to nothing: what was wanted, the nearest miss, what else arrived. */
export function waitWords<Name extends Kind>(
  wait: { readonly kind: Name; readonly criteria: Criteria<Kinds[Name]>; readonly evidence: Evidence },
  end: WaitEnd,
  boards: Boards,
): string {
  if (end.ended === 'late') return explainMissing({ ...wait, waitedMs: end.afterMs }, boards)
  return `${end.why}\n\n${explainMissing({ ...wait, waitedMs: null }, boards)}`
}
