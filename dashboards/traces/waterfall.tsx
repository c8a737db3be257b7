'use client'

import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type Ref,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Breadcrumb } from '../../lib/wire/event'
import type { Span, TraceDetail } from '../../lib/wire/trace'
import type { PanelPart } from './detail-panel'
import { shownSdks } from './otel-facts'
import { errorsBySpan, pageOrigins } from './span-facts'
import { around, MOST_TICKS, type TimeWindow, ticks } from './time-axis'
import type { TreeRow } from './tree-rows'
import { useRowPointer } from './use-waterfall-pointer'
import styles from './waterfall.module.css'
import { HEAD_ROWS, WaterfallHead } from './waterfall-head'
import { WaterfallRow } from './waterfall-row'

export interface WaterfallHandle {
  readonly bring: (spanId: string) => void
  readonly focus: () => void
}

interface WaterfallProps {
  readonly ref: Ref<WaterfallHandle>
  readonly trace: TraceDetail
  readonly rows: readonly TreeRow<Span>[]
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly cursor: string | null
  readonly selected: string | null
  readonly onWindow: (window: TimeWindow) => void
  readonly onSelect: (spanId: string) => void
  readonly onFold: (spanId: string, closed: boolean) => void
  readonly onShow: (part: PanelPart) => void
}

/** The row height in rem, so that it follows the font size. */
const ROW_REM = 1.625

/** The trace as a treegrid. Only visible rows are in the document, and the cursor's for `aria-activedescendant`. */
export function Waterfall(props: WaterfallProps) {
  const { trace, rows, window, full, cursor, selected } = props
  const scroller = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const [headHeight, setHeadHeight] = useState(0)
  const rowHeight = useMemo(() => ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize), [])
  // The head grows when the first mark arrives.
  useLayoutEffect(() => {
    const element = head.current
    if (element === null) return
    const measure = (): void => setHeadHeight(element.offsetHeight)
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  const errors = useMemo(() => errorsBySpan(trace.errors), [trace.errors])
  const origins = useMemo(() => pageOrigins(trace.spans), [trace.spans])
  const segments = useMemo(() => new Map(trace.segments.map((one) => [one.segmentId, one])), [trace.segments])
  const sdks = useMemo(() => shownSdks(trace.spans, trace.segments), [trace.spans, trace.segments])
  const cursorAt = useMemo(() => rows.findIndex((row) => row.id === cursor), [rows, cursor])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    getItemKey: (at) => rows[at]?.id ?? at,
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range)
      return cursorAt < 0 || shown.includes(cursorAt) ? shown : [...shown, cursorAt].sort((a, b) => a - b)
    },
  })
  useKeepPosition(scroller, rows, rowHeight)
  const rowOf = (spanId: string): TreeRow<Span> | undefined => rows.find((row) => row.id === spanId)
  useRowPointer(
    scroller,
    props.onSelect,
    (spanId) => props.onFold(spanId, rowOf(spanId)?.expanded ?? false),
    (spanId) => {
      const row = rowOf(spanId)
      if (row !== undefined) props.onWindow(around(row.node.span, full))
    },
  )
  const bring = (spanId: string): void => {
    const at = rows.findIndex((row) => row.id === spanId)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }
  // Rows are ordered by time, so the spans of a newly selected range may be scrolled out of sight.
  const choose = (next: TimeWindow): void => {
    props.onWindow(next)
    const begins = (row: TreeRow<Span>): boolean =>
      row.node.span.startUs >= next.startUs && row.node.span.startUs <= next.endUs
    const { startIndex = 0, endIndex = 0 } = virtual.range ?? {}
    const first = rows.slice(startIndex, endIndex).some(begins) ? -1 : rows.findIndex(begins)
    if (first >= 0) virtual.scrollToIndex(first, { align: 'start' })
  }
  // Opening the panel shrinks the waterfall: scroll to the selected row once the new size is known.
  const bringSelected = useEffectEvent(bring)
  useEffect(() => {
    if (selected === null) return
    const frame = requestAnimationFrame(() => bringSelected(selected))
    return () => cancelAnimationFrame(frame)
  }, [selected])
  useImperativeHandle(props.ref, () => ({ bring, focus: () => table.current?.focus({ preventScroll: true }) }))

  return (
    <div ref={scroller} className={styles.waterfall}>
      <table ref={table} className={styles.table} {...treegrid(rows.length, cursorAt < 0 ? null : cursor)}>
        <WaterfallHead
          ref={head}
          trace={trace}
          breadcrumbs={props.breadcrumbs}
          window={window}
          full={full}
          onWindow={choose}
          onShow={props.onShow}
        />
        <tbody
          className={styles.rows}
          style={{ height: virtual.getTotalSize(), ...gridLines(window, trace.summary.startUs) }}
        >
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              <WaterfallRow
                key={row.id}
                row={row}
                origin={origins.get(row.node.span.segmentId ?? '')}
                index={item.index}
                top={item.start - headHeight}
                window={window}
                full={full}
                segment={segments.get(row.id)}
                sdk={sdks.get(row.id)}
                errors={errors}
                atCursor={row.id === cursor}
                selected={row.id === selected}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Grid lines below the ticks: the row background repeats at every step, starting at the first tick. */
function gridLines(window: TimeWindow, originUs: number): Record<`--${string}`, string> {
  const [first, second] = ticks(window, originUs, MOST_TICKS)
  if (first === undefined || second === undefined) return { '--tick-first': '0%', '--tick-step': '100%' }
  return {
    '--tick-first': `${first.fraction * 100}%`,
    '--tick-step': `${(second.fraction - first.fraction) * 100}%`,
  }
}

/** The ARIA treegrid pattern on a table. Spread as props, because the linter does not allow this role on a table. */
function treegrid(rowCount: number, cursor: string | null) {
  return {
    role: 'treegrid',
    tabIndex: 0,
    'aria-label': 'Spans of this trace',
    'aria-rowcount': rowCount + HEAD_ROWS,
    'aria-activedescendant': cursor === null ? undefined : `span-${cursor}`,
  } as const
}

/** Keeps the visible rows in place when rows are inserted above them. */
function useKeepPosition(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly { readonly id: string }[],
  rowHeight: number,
): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const element = scroller.current
    const old = before.current
    before.current = rows
    if (element === null || old === rows || element.scrollTop === 0) return
    const top = Math.floor(element.scrollTop / rowHeight)
    const now = new Map(rows.map((row, at) => [row.id, at]))
    // The first row that still exists, in case the topmost one was removed.
    for (let at = top; at < old.length; at++) {
      const id = old[at]?.id
      const moved = id === undefined ? undefined : now.get(id)
      if (moved === undefined) continue
      if (moved !== at) element.scrollTop += (moved - at) * rowHeight
      return
    }
  }, [scroller, rows, rowHeight])
}
