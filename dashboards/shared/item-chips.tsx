import type { EnvelopeItem } from '../../lib/wire/envelope'
import { itemCounts } from '../words/item-counts'
import { formatCount } from '../words/quantities'
import styles from './item-chips.module.css'
import { Received } from './received'

/** What an envelope carries: one chip per type, with the quantity where it is not one. */
export function ItemChips({ items }: { readonly items: readonly Pick<EnvelopeItem, 'type' | 'quantity'>[] }) {
  return (
    <span className={styles.chips}>
      {itemCounts(items).map(({ type, quantity }) => (
        <span key={type} className={styles.chip} data-type={type}>
          <Received text={type} />
          {quantity !== 1 && <span className={styles.quantity}> ×{formatCount(quantity)}</span>}
        </span>
      ))}
    </span>
  )
}
