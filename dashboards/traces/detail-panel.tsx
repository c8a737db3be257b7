'use client'

import { lazy, Suspense } from 'react'
import { formatCount } from '../../lib/format'
import type { Breadcrumb } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import { type Tab, Tabs } from '../ui/tabs'
import styles from './detail-panel.module.css'
import type { TraceData } from './trace-data'
import type { TraceAnalysis } from './use-analysis'
import type { PanelPart } from './use-trace-state'

// Each part is loaded when it is first shown: rows come first.
const SpanDetail = lazy(() => import('./span-detail').then((module) => ({ default: module.SpanDetail })))
const ErrorList = lazy(() => import('./error-list').then((module) => ({ default: module.ErrorList })))
const lists = () => import('./panel-lists')
const BreadcrumbList = lazy(() => lists().then((module) => ({ default: module.BreadcrumbList })))
const SignalLines = lazy(() => lists().then((module) => ({ default: module.SignalLines })))
const DeliveryList = lazy(() => lists().then((module) => ({ default: module.DeliveryList })))

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
          <Suspense fallback={null}>
            {current === 'span' && spanId !== null && (
              <SpanDetail key={spanId} trace={trace} analysis={props.analysis} spanId={spanId} onSpan={props.onSpan} />
            )}
            {current === 'errors' && (
              <ErrorList errors={trace.errors} originUs={trace.summary.startUs} spanId={spanId} />
            )}
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
          </Suspense>
        </div>
      </Tabs>
    </aside>
  )
}
