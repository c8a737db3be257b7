import type { Limit } from '../../lib/wire/limits'
import { formatLeft } from '../ui/clocks'
import { DeliveryStatusGlyph } from '../ui/delivery-status-mark'
import { printable } from '../ui/printable'
import styles from './limits.module.css'
import { limitsInForce } from './upstream-words'

/** What upstream limits just now, each with its running clock. */
export function Limits({ limits, now }: { readonly limits: readonly Limit[]; readonly now: number }) {
  const inForce = limitsInForce(limits, now)
  if (inForce.length === 0) return null
  return (
    <div className={styles.limits}>
      <h3>
        <DeliveryStatusGlyph name="rate_limited" /> Limited by upstream:{' '}
        <a href="/limits">who, why, and whether pages obey</a>
      </h3>
      <ul>
        {inForce.map((limit) => (
          <li key={`${limit.upstream} ${limit.category}`} title={limit.upstream}>
            <strong>{printable(limit.category)}</strong>
            <span className="num">{formatLeft(limit.until, now) ?? '0 s'} left</span>
            {limit.reason !== null && <span className="faint">{printable(limit.reason.replaceAll('_', ' '))}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
