import { type ReactNode, useId } from 'react'
import { formatBytes, formatDurationMs } from '../../lib/format'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { EventDetail } from '../../lib/wire/event'
import { deliveryStatusText, reasonText } from '../../lib/wire/status-text'
import { Glyph, type GlyphName, statusGlyph } from '../ui/glyph'
import { endpointText } from '../ui/labels'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { formatClock, formatDateTime } from '../ui/times'
import styles from './hop-line.module.css'
import { sentAtMs } from './sender-clock'
import side from './side.module.css'

export interface HopLineProps {
  readonly event: Pick<EventDetail, 'seq' | 'service' | 'receivedAt' | 'deliveryStatus' | 'copy'>
  /** `null` until it is read. */
  readonly envelope: Pick<EnvelopeDetail, 'bytes' | 'endpoint' | 'header' | 'relayedAt'> | null
}

/** The way of an event in three steps: sent, stored, upstream. */
export function HopLine({ event, envelope }: HopLineProps) {
  const heading = useId()
  const { word, tone, meaning } = deliveryStatusText(event.deliveryStatus)
  const reason = reasonText(event.deliveryStatus.reason)
  const relayedAt = envelope?.relayedAt ?? null
  return (
    <section className={side.section} aria-labelledby={heading}>
      <div className={side.head}>
        <h2 id={heading}>Delivery</h2>
        <span className="small">
          <a href={`/envelopes/${event.seq}`}>envelope {event.seq}</a>
          {envelope !== null && <span className="faint">, {formatBytes(envelope.bytes)}</span>}
        </span>
      </div>
      <ol className={styles.hops}>
        <Hop glyph="accepted" tone="good" {...clockOf(sentAtMs(envelope))}>
          Sent by <Received text={event.service} />
          {envelope !== null && ` (${endpointText(envelope.endpoint).word})`}
        </Hop>
        <Hop glyph="accepted" tone="good" {...clockOf(event.receivedAt)}>
          Stored here
        </Hop>
        <Hop
          glyph={statusGlyph(event.deliveryStatus)}
          tone={tone}
          time={relayedAt === null ? '' : `after ${formatDurationMs(relayedAt - event.receivedAt)}`}
          title={meaning}
        >
          Upstream: <span>{word}</span>
          {reason !== null && reason !== word && <span className="faint"> {printable(reason)}</span>}
        </Hop>
      </ol>
      {event.copy === 'only' && <p className="small soft">Copy only: the SDK sent a Spotlight copy.</p>}
    </section>
  )
}

const clockOf = (ms: number | null) =>
  ms === null
    ? { time: '', title: 'the sender does not say when' }
    : { time: formatClock(ms), title: formatDateTime(ms) }

interface HopProps {
  readonly glyph: GlyphName
  readonly tone: string
  readonly time: string
  readonly title: string
  readonly children: ReactNode
}

const Hop = ({ glyph, tone, time, title, children }: HopProps) => (
  <li data-tone={tone} title={title}>
    <span className={`toned ${styles.dot}`} data-tone={tone}>
      <Glyph name={glyph} />
    </span>
    <span>{children}</span>
    <span className="num faint">{time}</span>
  </li>
)
