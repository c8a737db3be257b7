import { Fragment } from 'react'
import { formatCount } from '../../lib/format'
import type { EnvelopeItem } from '../../lib/wire/envelope'
import { itemCounts, itemName, seriesOf } from './labels'
import { printable } from './printable'
import styles from './received.module.css'

/** A received string on one line, as text, with its own writing direction. */
export function Received({ text, className }: { readonly text: string; readonly className?: string | undefined }) {
  return <bdi className={className}>{printable(text)}</bdi>
}

/** A received name that breaks after a dot, a dash, a slash or an underscore rather than inside a word. */
export function Breakable({ name }: { readonly name: string }) {
  const parts = printable(name).split(/(?<=[._/-])/)
  return (
    <bdi>
      {parts.map((part, at) => (
        // The parts of a name have a fixed order.
        <Fragment key={`${at} ${part}`}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}

export function ServiceName({ service }: { readonly service: string }) {
  return (
    <span className={styles.service} data-series={seriesOf(service)}>
      <span className={styles.swatch} aria-hidden="true" />
      <Received text={service} />
    </span>
  )
}

export function TraceLink({ traceId }: { readonly traceId: string | null }) {
  if (traceId === null) return <span className="faint">no trace</span>
  return (
    <a className="mono" href={`/traces/${encodeURIComponent(traceId)}`} title={traceId}>
      {traceId.slice(0, 8)}
    </a>
  )
}

/** Further types are shown as a number. */
const MOST_CHIPS = 3

const titleOf = (type: string): string | undefined =>
  itemName(type) === type ? undefined : `Item type ${printable(type)}`

/** The items of an envelope: one chip per type, with its quantity unless it is 1. */
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
