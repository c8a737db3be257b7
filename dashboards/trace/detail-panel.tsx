'use client'

import type { SpanNode } from '../../lib/protocol/trace/span-tree'
import type { Breadcrumb } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import type { Span, TraceDetail } from '../../lib/wire/trace'
import { BreadcrumbList } from '../event/breadcrumb-list'
import { formatCount } from '../ui/quantities'
import { type Tab, Tabs } from '../ui/tabs'
import { DeliveryList } from './delivery-list'
import styles from './detail-panel.module.css'
import { ErrorList } from './error-list'
import { SignalLines } from './signal-lines'
import { SpanDetail } from './span-detail'
import type { PanelPart } from './trace-address'

interface DetailPanelProps {
  readonly trace: TraceDetail
  readonly tree: readonly SpanNode<Span>[]
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly signals: readonly SignalRow[]
  readonly spanId: string | null
  readonly part: PanelPart
  readonly onPart: (part: PanelPart) => void
  readonly onSpan: (spanId: string) => void
  /** `null` where the panel is all there is. */
  readonly onClose: (() => void) | null
}

/** Beside the waterfall: the selected span, and the trace's errors, breadcrumbs, signals and delivery. */
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
            <SpanDetail key={spanId} trace={trace} tree={props.tree} spanId={spanId} onSpan={props.onSpan} />
          )}
          {current === 'errors' && <ErrorList errors={trace.errors} originUs={trace.summary.startUs} spanId={spanId} />}
          {current === 'breadcrumbs' && (
            <BreadcrumbList
              breadcrumbs={breadcrumbs}
              originUs={trace.summary.startUs}
              origin="the start of the trace"
              none="No breadcrumbs: they arrive with the errors of a trace."
            />
          )}
          {current === 'signals' && (
            <SignalLines
              signals={signals}
              originUs={trace.summary.startUs}
              none="No log, no metric and nothing else of the kind names this trace."
            />
          )}
          {current === 'delivery' && <DeliveryList trace={trace} />}
        </div>
      </Tabs>
    </aside>
  )
}
