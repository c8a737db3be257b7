import type { Evidence } from '../verdict/evidence/evidence'
import type { Boards } from '../verdict/expectations/answer'
import type { Criteria } from '../verdict/expectations/criteria'
import { explainMissing } from '../verdict/expectations/explain'
import type { Kind, Kinds } from '../verdict/expectations/kinds'

/** How a wait came to nothing. */
export type WaitEnd =
  | { readonly ended: 'late'; readonly afterMs: number }
  /** Whoever began it gave it up, nothing more can be read, or the recording was closed. */
  | { readonly ended: 'over'; readonly why: string }

const NOT_REACHED = (url: string): string =>
  `the collector at ${url} had recorded nothing before either: is that the address in the app’s DSN? waystation run gives its own in SENTRY_DSN, and a DSN that is written in the code goes before it`

/**
 * The words of a wait that came to nothing: what was wanted, the nearest miss, what else arrived.
 * @param wait its `emptyCollector` is the address of one that had recorded nothing at all when the recording began
 */
export function waitWords<Name extends Kind>(
  wait: {
    readonly kind: Name
    readonly criteria: Criteria<Kinds[Name]>
    readonly evidence: Evidence
    readonly emptyCollector?: string | null
    readonly ifNothingCame: string | null
  },
  end: WaitEnd,
  boards: Boards,
): string {
  const waitedMs = end.ended === 'late' ? end.afterMs : null
  const missing = explainMissing({ ...wait, waitedMs }, boards)
  if (end.ended === 'over') return `${end.why}\n\n${missing}`
  if (wait.evidence.envelopes.length > 0) return missing
  const { emptyCollector = null, ifNothingCame } = wait
  const hints = [emptyCollector === null ? null : NOT_REACHED(emptyCollector), ifNothingCame]
  return [missing, ...hints.filter((hint) => hint !== null)].join('\n')
}
