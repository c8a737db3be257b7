import type { EnvelopeItem } from '../../lib/wire/envelope'
import styles from './item-chips.module.css'
import { itemCounts, itemName } from './item-counts'
import { printable } from './printable'
import { formatCount } from './quantities'
import { Received } from './received'

/** More types than this are told as a number. */
const MOST_CHIPS = 3

const titleOf = (type: string): string | undefined =>
  itemName(type) === type ? undefined : `An item of type ${printable(type)}.`

/** What an envelope carries: one chip per type, with the quantity where it is not one. */
export function ItemChips({ items }: { readonly items: readonly Pick<EnvelopeItem, 'type' | 'quantity'>[] }) {
  const counts = itemCounts(items)
  const more = counts.slice(MOST_CHIPS)
  return (
    <span className={styles.chips}>
      {counts.slice(0, MOST_CHIPS).map(({ type, quantity }) => (
        <span key={type} className={styles.chip} data-type={type} title={titleOf(type)}>
          <Received text={itemName(type)} />
          {quantity !== 1 && <span className={styles.quantity}> ×{formatCount(quantity)}</span>}
        </span>
      ))}
      {more.length > 0 && (
        <span className={styles.quantity} title={more.map(({ type }) => printable(itemName(type))).join(', ')}>
          +{formatCount(more.length)}
        </span>
      )}
    </span>
  )
}
