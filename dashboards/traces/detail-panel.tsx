'use client'

import { formatCount, formatDurationUs } from '../../lib/format'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { Breadcrumb } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import { BreadcrumbList } from '../events/breadcrumb-list'
import { levelTone } from '../signals/signal-columns'
import { kindText } from '../signals/signal-kinds'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import { Received } from '../ui/received'
import { type Tab, Tabs } from '../ui/tabs'
import { formatClock, formatDateTime, withSign } from '../ui/times'
import styles from './detail-panel.module.css'
import { ErrorList } from './error-list'
import { SpanDetail } from './span-detail'
import type { TraceData } from './trace-data'
import type { TraceAnalysis } from './use-analysis'
import type { PanelPart } from './use-trace-state'

interface DetailPanelProps {
  readonly trace: TraceData
  readonly analysis: TraceAnalysis
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly signals: readonly SignalRow[]
  readonly spanId: string | null
  readonly part: PanelPart
  readonly onPart: (part: PanelPart) => void
  readonly onSpan: (spanId: string) => void
  /** `null` when the panel cannot be closed. */
  readonly onClose: (() => void) | null
}

export function DetailPanel(props: DetailPanelProps) {
  const { trace, breadcrumbs, signals, spanId, part, onClose } = props
  const count = (word: string, many: number): string => (many === 0 ? word : `${word} ${formatCount(many)}`)
  const tabs: Tab<PanelPart>[] = [
    ...(spanId === null ? [] : [{ id: 'span' as const, label: 'Span' }]),
    { id: 'errors', label: count('Errors', trace.errors.length) },
    { id: 'breadcrumbs', label: count('Breadcrumbs', breadcrumbs.length) },
    { id: 'signals', label: count('Signals', signals.length) },
    { id: 'delivery', label: 'Delivery' },
  ]
  const current = part === 'span' && spanId === null ? 'errors' : part
  return (
    <aside className={styles.panel} aria-label="Detail">
      <Tabs
        label="Detail"
        tabs={tabs}
        current={current}
        onChange={props.onPart}
        tools={
          onClose !== null && (
            <button type="button" className={styles.close} onClick={onClose} aria-label="Close" title="Close (Esc)">
              ✕
            </button>
          )
        }
      >
        <div className={styles.content}>
          {current === 'span' && spanId !== null && (
            <SpanDetail key={spanId} trace={trace} analysis={props.analysis} spanId={spanId} onSpan={props.onSpan} />
          )}
          {current === 'errors' && <ErrorList errors={trace.errors} originUs={trace.summary.startUs} spanId={spanId} />}
          {current === 'breadcrumbs' && (
            <BreadcrumbList
              breadcrumbs={breadcrumbs}
              originUs={trace.summary.startUs}
              origin="the start of the trace"
              none="No breadcrumbs. They arrive with the errors of a trace."
            />
          )}
          {current === 'signals' && (
            <SignalLines signals={signals} originUs={trace.summary.startUs} none="No signals in this trace." />
          )}
          {current === 'delivery' && <DeliveryList trace={trace} />}
        </div>
      </Tabs>
    </aside>
  )
}

function DeliveryList({ trace }: { readonly trace: TraceData }) {
  return (
    <ul className={styles.list}>
      {carriers(trace).map((carrier) => (
        <li key={`${carrier.seq}/${carrier.item}`}>
          <p className={styles.line}>
            <span className={styles.kind}>{carrier.kind}</span>
            <Received text={carrier.name} />
          </p>
          <p className={styles.facts}>
            <DeliveryStatusMark deliveryStatus={carrier.deliveryStatus} withReason />
            <Step name="received" at={carrier.receivedAt} />
            {carrier.relayed === true ? (
              <span title="The page of the envelope shows when.">relayed</span>
            ) : (
              <Step name="relayed" at={carrier.relayed} />
            )}
            <a href={`/envelopes/${carrier.seq}`}>envelope {carrier.seq}</a>
          </p>
        </li>
      ))}
    </ul>
  )
}

function Step({ name, at }: { readonly name: string; readonly at: number | null }) {
  if (at === null) return null
  return (
    <span className="num" title={formatDateTime(at)}>
      {name} {formatClock(at)}
    </span>
  )
}

interface Carrier {
  readonly kind: 'segment' | 'error'
  readonly name: string
  readonly seq: number
  readonly item: number
  readonly deliveryStatus: DeliveryStatus
  readonly receivedAt: number
  /** When it was relayed; `true` if the time is unknown; `null` if it was not relayed. */
  readonly relayed: number | true | null
}

export function carriers({ segments, errors }: Pick<TraceData, 'segments' | 'errors'>): readonly Carrier[] {
  const sent = new Map(segments.map((segment) => [segment.seq, segment.relayedAt]))
  const all: Carrier[] = [
    ...segments.map((segment) => ({
      kind: 'segment' as const,
      ...segment,
      relayed: segment.relayedAt,
    })),
    ...errors.map((error) => ({
      kind: 'error' as const,
      ...error,
      name: error.title,
      // The answer covered the whole envelope. Only upstream sets the status accepted, so the item was relayed.
      relayed: sent.get(error.seq) ?? (error.deliveryStatus.name === 'accepted' ? (true as const) : null),
    })),
  ]
  return all.sort((a, b) => a.seq - b.seq || a.item - b.item)
}

interface SignalLinesProps {
  readonly signals: readonly SignalRow[]
  readonly originUs: number
  readonly none: string
}

export function SignalLines({ signals, originUs, none }: SignalLinesProps) {
  if (signals.length === 0) return <p className="small soft">{none}</p>
  return (
    <table className={styles.signals} aria-label="Signals of this trace, oldest first">
      <tbody>
        {signals.map((signal) => (
          <tr key={`${signal.kind} ${signal.key}`} data-signal={signal.key}>
            <td className={styles.time} title={formatDateTime(signal.timestampUs / 1000)}>
              {withSign(formatDurationUs(signal.timestampUs - originUs), signal.timestampUs - originUs)}
            </td>
            <th scope="row" data-tone={levelTone(signal.level)}>
              <Received text={signal.level ?? kindText(signal.kind).one} />
            </th>
            <td>
              <a href={signalsHref(signal.kind, { envelope: String(signal.seq), open: signal.key })}>
                <Received text={signal.name === '' ? kindText(signal.kind).one : signal.name} />
              </a>
            </td>
            <td className={styles.status}>
              <DeliveryStatusMark deliveryStatus={signal.deliveryStatus} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
