'use client'

import { type ReactNode, useMemo, useRef, useState } from 'react'
import { buildSpanTree } from '../../lib/protocol/trace/span-tree'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceDetail } from '../../lib/wire/trace'
import { SPAN_PARAM } from '../ui/links'
import { useSearchParam } from '../ui/page-address'
import { CLOSED, DetailPanel, type PanelPart, panelOf, SHOW_PARAM } from './detail-panel'
import { distinctBreadcrumbs } from './marks'
import { firstWindow, fullWindow, sameWindow, type TimeWindow, within } from './time-axis'
import { TraceHeading } from './trace-heading'
import styles from './trace-view.module.css'
import { collapsible, idsAbove, treeRows } from './tree-rows'
import { useTraceKeys } from './use-trace-keys'
import { Waterfall, type WaterfallHandle } from './waterfall'

interface TraceViewProps {
  readonly trace: TraceDetail
  readonly signals: readonly SignalRow[]
  readonly connection: ReactNode
}

/** Waterfall and panel. Selection, folds and zoom are stored by span id and time, so arriving spans do not change them. */
export function TraceView({ trace, signals, connection }: TraceViewProps) {
  const { segments, spans, errors } = trace
  const tree = useMemo(() => buildSpanTree(spans), [spans])
  const byId = useMemo(() => new Map(spans.map((span) => [span.spanId, span])), [spans])
  const breadcrumbs = useMemo(() => distinctBreadcrumbs(trace.breadcrumbs), [trace.breadcrumbs])
  const full = useMemo(() => fullWindow(segments, spans, errors), [segments, spans, errors])
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const foldable = useMemo(() => collapsible(tree.roots), [tree])
  const rows = useMemo(() => treeRows(tree.roots, folded), [tree, folded])
  const [zoomed, setZoomed] = useState<TimeWindow | null>(null)
  const first = useMemo(() => firstWindow(segments, full), [segments, full])
  const window = zoomed === null ? first : within(zoomed, full)
  const [spanId, setSpanId] = useSearchParam(SPAN_PARAM)
  const [show, setShow] = useSearchParam(SHOW_PARAM)
  const [cursor, setCursor] = useState<string | null>(null)
  const at = cursor ?? spanId
  const waterfall = useRef<WaterfallHandle>(null)

  // A failed trace opens on its errors. Decided once, so that a later error does not change the page.
  const [hadErrors] = useState(errors.length > 0)
  const part = panelOf(show, spanId, hadErrors || spans.length === 0)
  const fold = (id: string, closed: boolean): void => {
    const next = new Set(folded)
    if (closed) next.add(id)
    else next.delete(id)
    setFolded(next)
  }
  const select = (id: string): void => {
    setCursor(id)
    setSpanId(id)
    setShow(null)
  }
  const reveal = (id: string): void => {
    const open = new Set(folded)
    for (const above of idsAbove(byId, id)) open.delete(above)
    setFolded(open)
    select(id)
    waterfall.current?.bring(id)
  }
  const showPart = (next: PanelPart): void => setShow(next === 'span' && spanId !== null ? null : next)
  const close = (): boolean => {
    if (part === null) return false
    setSpanId(null)
    setShow(hadErrors ? CLOSED : null)
    return true
  }
  const unzoom = (): boolean => {
    setZoomed(null)
    return zoomed !== null
  }
  const setWindow = (next: TimeWindow): void => setZoomed(sameWindow(next, first) ? null : next)

  useTraceKeys({
    rows,
    at: rows.findIndex((row) => row.id === at),
    window,
    full,
    setWindow,
    move: (id) => {
      waterfall.current?.bring(id)
      waterfall.current?.focus()
      setCursor(id)
      if (part === 'span') setSpanId(id)
    },
    fold,
    open: select,
    close: () => close() || unzoom(),
  })
  return (
    <div className={styles.view}>
      <TraceHeading
        trace={trace}
        connection={connection}
        zoomed={zoomed !== null}
        onResetZoom={unzoom}
        onCollapseAll={foldable.length === 0 ? null : () => setFolded(new Set(foldable))}
        onExpandAll={() => setFolded(new Set())}
      />
      <div className={styles.parts} data-panel={part !== null}>
        {spans.length === 0 ? (
          <p className={styles.none}>
            This trace has {errors.length === 1 ? 'an error' : 'errors'} but no spans yet. Sampled spans arrive after
            they end.
          </p>
        ) : (
          <Waterfall
            ref={waterfall}
            trace={trace}
            rows={rows}
            breadcrumbs={breadcrumbs}
            window={window}
            full={full}
            cursor={at}
            selected={part === 'span' ? spanId : null}
            onWindow={setWindow}
            onSelect={select}
            onFold={fold}
            onShow={showPart}
          />
        )}
        {part !== null && (
          <DetailPanel
            trace={trace}
            tree={tree.roots}
            breadcrumbs={breadcrumbs}
            signals={signals}
            spanId={spanId}
            part={part}
            onPart={showPart}
            onSpan={reveal}
            onClose={spans.length === 0 ? null : close}
          />
        )}
      </div>
    </div>
  )
}
