import type { ReactNode } from 'react'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import { deliveryStatusText, reasonText, type StatusText } from '../../lib/wire/status-text'
import styles from './delivery-status-mark.module.css'
import { Glyph, type GlyphName, statusGlyph } from './glyph'
import { printable } from './printable'

/** Shown once on the home page; next to every envelope it would be noise. */
const HIDDEN_REASON = 'no_upstream'

/** A status that needs no attention. */
const FINE: readonly string[] = ['accepted', 'kept']

/**
 * A delivery status as glyph and word. The title explains it; `withReason` shows the reason as well. With `quiet`, a
 * status that needs no attention is a glyph alone.
 */
export function DeliveryStatusMark({
  deliveryStatus,
  withReason = false,
  quiet = false,
}: {
  readonly deliveryStatus: DeliveryStatus
  readonly withReason?: boolean
  readonly quiet?: boolean
}) {
  const { word, meaning, tone } = deliveryStatusText(deliveryStatus)
  // The word already is the reason.
  const reason =
    deliveryStatus.reason === 'dead_letter' && deliveryStatus.name === 'pending'
      ? null
      : reasonText(deliveryStatus.reason)
  const shown = reason === null ? null : printable(reason)
  const isQuiet = quiet && FINE.includes(deliveryStatus.name)
  return (
    <Mark
      glyph={statusGlyph(deliveryStatus)}
      tone={tone}
      title={shown === null ? meaning : `${meaning} (${shown})`}
      isQuiet={isQuiet}
    >
      <span className={isQuiet ? 'visually-hidden' : undefined}>{word}</span>
      {withReason && shown !== null && deliveryStatus.reason !== HIDDEN_REASON && (
        <span className={styles.reason}>{shown}</span>
      )}
    </Mark>
  )
}

interface MarkProps {
  readonly glyph: GlyphName
  readonly tone: StatusText['tone']
  readonly title?: string
  readonly isQuiet?: boolean
  readonly children: ReactNode
}

export function Mark({ glyph, tone, title, isQuiet = false, children }: MarkProps) {
  return (
    <span className={`toned ${styles.mark}`} data-tone={tone} data-quiet={isQuiet || undefined} title={title}>
      <Glyph name={glyph} />
      {children}
    </span>
  )
}
