import type { ReactNode } from 'react'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import styles from './delivery-status-mark.module.css'
import { printable } from './printable'
import { deliveryStatusText, reasonText, type StatusText } from './status-text'

/** Shown once on the home page; next to every envelope it would be noise. */
const HIDDEN_REASON = 'no_upstream'

/** A delivery status as glyph and word. The title explains it; `withReason` shows the reason as well. */
export function DeliveryStatusMark({
  deliveryStatus,
  withReason = false,
}: {
  readonly deliveryStatus: DeliveryStatus
  readonly withReason?: boolean
}) {
  const { word, meaning, tone } = deliveryStatusText(deliveryStatus)
  // The word already is the reason.
  const reason =
    deliveryStatus.reason === 'dead_letter' && deliveryStatus.name === 'pending'
      ? null
      : reasonText(deliveryStatus.reason)
  const shown = reason === null ? null : printable(reason)
  return (
    <Mark glyph={glyphOf(deliveryStatus)} tone={tone} title={shown === null ? meaning : `${meaning} (${shown})`}>
      <span>{word}</span>
      {withReason && shown !== null && deliveryStatus.reason !== HIDDEN_REASON && (
        <span className={styles.reason}>{shown}</span>
      )}
    </Mark>
  )
}

interface MarkProps {
  readonly glyph: Glyph
  readonly tone: StatusText['tone']
  readonly title?: string
  readonly children: ReactNode
}

export function Mark({ glyph, tone, title, children }: MarkProps) {
  return (
    <span className={`toned ${styles.mark}`} data-tone={tone} title={title}>
      <DeliveryStatusGlyph name={glyph} />
      {children}
    </span>
  )
}

type Glyph = DeliveryStatus['name'] | 'dead_letter'

const glyphOf = ({ name, reason }: DeliveryStatus): Glyph =>
  name === 'pending' && reason === 'dead_letter' ? 'dead_letter' : name

const GLYPHS: Readonly<Record<Glyph, string>> = {
  // A clock, a tick, a disk, a funnel, a pause, a cross, a full tray, an hourglass, a strike, two sheets, a letter that
  // came back.
  pending: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M6 3.5V6l1.8 1.2',
  accepted: 'M2 6.5 4.8 9.2 10 3.2',
  kept: 'M2.5 2.5h7v7h-7zM4.5 2.5v2.5h3V2.5',
  filtered: 'M1.5 2.5h9L7 6.5v3L5 10.5v-4z',
  rate_limited: 'M4.2 2.5v7M7.8 2.5v7',
  invalid: 'M3 3l6 6M9 3l-6 6',
  overflow: 'M1.5 6v4h9V6M6 7.5v-6M3.8 3.5 6 1.5l2.2 2',
  expired: 'M3 1.5h6M3 10.5h6M3.5 1.5c0 4 5 5 5 9M8.5 1.5c0 4-5 5-5 9',
  dropped: 'M1.5 6h9',
  copy: 'M1.5 1.5h6v6h-6zM4.5 7.5v3h6v-6h-3',
  dead_letter: 'M1.5 2.5h9v7h-9zM4.5 4.5l3 3M7.5 4.5l-3 3',
}

export function DeliveryStatusGlyph({ name }: { readonly name: Glyph }) {
  return (
    <svg className={styles.glyph} aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
      <path d={GLYPHS[name]} />
    </svg>
  )
}
