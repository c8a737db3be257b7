import { Fragment } from 'react'
import { formatCount } from '../../lib/format'
import type { EnvelopeItem } from '../../lib/wire/envelope'
import { itemCounts, itemName, seriesOf } from './labels'
import { printable } from './printable'
import styles from './received.module.css'

/** A received string on one line: text only, its direction kept to itself. */
export function Received({ text, className }: { readonly text: string; readonly className?: string | undefined }) {
  return <bdi className={className}>{printable(text)}</bdi>
}

/** A received name that may be broken after a dot, a dash, a slash or an underscore, before it is broken inside a word. */
export function Breakable({ name }: { readonly name: string }) {
  const parts = printable(name).split(/(?<=[._/-])/)
  return (
    <bdi>
      {parts.map((part, at) => (
        // The parts of one name never change their places.
        <Fragment key={`${at} ${part}`}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}

/** A service's name with the colour its bars have. */
export function ServiceName({ service }: { readonly service: string }) {
  return (
    <span className={styles.service} data-series={seriesOf(service)}>
      <span className={styles.swatch} aria-hidden="true" />
      <Received text={service} />
    </span>
  )
}

/** The way to a trace, by as much of its id as tells traces apart. */
export function TraceLink({ traceId }: { readonly traceId: string | null }) {
  if (traceId === null) return <span className="faint">no trace</span>
  return (
    <a className="mono" href={`/traces/${encodeURIComponent(traceId)}`} title={traceId}>
      {traceId.slice(0, 8)}
    </a>
  )
}

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
