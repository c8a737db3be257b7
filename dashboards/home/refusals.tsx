import { formatCount } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { printable } from '../ui/printable'
import { refusalWords } from './refusal-words'
import styles from './refusals.module.css'

/** Why the endpoint turned envelopes away, the most frequent reason first, each with what to do. */
export function Refusals({ refusals }: { readonly refusals: Overview['refusals'] }) {
  if (refusals.length === 0) return null
  return (
    <ul className={styles.refusals} aria-label="Refused, by reason">
      {refusals.map(({ reason, envelopes }) => (
        <li key={reason} data-refusal={reason}>
          <span className={`num ${styles.count}`}>{formatCount(envelopes)} refused</span>
          <span>{printable(refusalWords(reason))}</span>
        </li>
      ))}
    </ul>
  )
}
