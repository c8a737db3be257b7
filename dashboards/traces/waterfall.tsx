'use client'

import {
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { errorsBySpan, pageOrigins } from './span-facts'
import {
  around,
  type Interval,
  MOST_TICKS,
  placeOf,
  sideOf,
  type TimeWindow,
  ticks,
  trackProperties,
} from './time-axis'
import type { TraceData } from './trace-data'
import type { ShownPath } from './trace-path'
import { isFoldable, type TreeRow, timesOf } from './tree-rows'
import { useVisibleRows } from './use-visible-rows'
import { useRowPointer } from './use-waterfall-pointer'
import styles from './waterfall.module.css'
import { HEAD_ROWS, WaterfallHead, type WaterfallHeadProps } from './waterfall-head'
import { WaterfallRow } from './waterfall-row'

export interface WaterfallHandle {
  readonly bring: (rowId: string) => void
  readonly focus: () => void
}

interface WaterfallProps extends Omit<WaterfallHeadProps, 'ref'> {
  readonly ref: Ref<WaterfallHandle>
  readonly trace: TraceData
  readonly rows: readonly TreeRow<TraceSpan>[]
  /** Times without a child, by span id. */
  readonly solidOf: (spanId: string) => readonly Interval[]
  /** `null` while the critical path is not shown. */
  readonly path: ShownPath | null
  /** Ids of the spans that the search found; `null` without a search. */
  readonly matches: ReadonlySet<string> | null
  readonly cursor: string | null
  readonly selected: string | null
  readonly onSelect: (rowId: string) => void
  readonly onFold: (rowId: string, closed: boolean) => void
}

/** Of rows in one line, and of those with the bar below the name. */
const NARROW_PX = 768
const TALL_ROW_PX = 44
const NO_INTERVALS: readonly Interval[] = []

/** The trace as a treegrid. Only visible rows are in the document, and the cursor's for `aria-activedescendant`. */
export function Waterfall(props: WaterfallProps) {
  const { trace, rows, window, full, cursor, selected, path, matches } = props
  const scroller = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const [{ headHeight, rowHeight }, setHeights] = useState({ headHeight: 0, rowHeight: 24 })
  // The head grows when the first mark arrives; on a narrow page a row has two lines.
  useLayoutEffect(() => {
    const [element, outer] = [head.current, scroller.current]
    if (element === null || outer === null) return
    const measure = (): void => {
      const row = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'))
      setHeights({
        headHeight: element.offsetHeight,
        rowHeight: outer.clientWidth < NARROW_PX ? TALL_ROW_PX : row,
      })
    }
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    watch.observe(outer)
    return () => watch.disconnect()
  }, [])

  const errors = useMemo(() => errorsBySpan(trace.errors), [trace.errors])
  const origins = useMemo(() => pageOrigins(trace.spans), [trace.spans])
  const segments = useMemo(() => new Map(trace.segments.map((one) => [one.segmentId, one])), [trace.segments])
  const cursorAt = useMemo(() => rows.findIndex((row) => row.id === cursor), [rows, cursor])
  const visible = useVisibleRows(scroller, rows, { rowHeight, headHeight, pinned: cursorAt })
  const rowOf = (id: string): TreeRow<TraceSpan> | undefined => rows.find((row) => row.id === id)
  useRowPointer(
    scroller,
    (id) => {
      const row = rowOf(id)
      if (row?.kind === 'group') props.onFold(id, row.expanded)
      else if (row?.kind === 'span') props.onSelect(id)
    },
    (id) => {
      const row = rowOf(id)
      if (row !== undefined && isFoldable(row)) props.onFold(id, row.expanded)
    },
    (id) => {
      const row = rowOf(id)
      if (row !== undefined) props.onWindow(around(timesOf(row), full))
    },
  )
  const bring = (id: string): void => {
    const at = rows.findIndex((row) => row.id === id)
    if (at >= 0) visible.bring(at)
  }
  // Rows are ordered by time, so the spans of a newly selected range may be scrolled out of sight.
  const choose = (next: TimeWindow): void => {
    props.onWindow(next)
    const begins = (row: TreeRow<TraceSpan>): boolean =>
      timesOf(row).startUs >= next.startUs && timesOf(row).startUs <= next.endUs
    const { from, to } = visible.range
    const first = rows.slice(from, to).some(begins) ? -1 : rows.findIndex(begins)
    if (first >= 0) visible.bring(first, 'top')
  }
  // Opening the panel shrinks the waterfall: scroll to the selected row once the new size is known.
  const bringSelected = useEffectEvent(bring)
  useEffect(() => {
    if (selected === null) return
    const frame = requestAnimationFrame(() => bringSelected(selected))
    return () => cancelAnimationFrame(frame)
  }, [selected])
  useImperativeHandle(props.ref, () => ({ bring, focus: () => table.current?.focus({ preventScroll: true }) }))

  const { indices } = visible
  const height = rows.length * rowHeight
  // Not by the rows themselves, because a zoom renders none.
  useLayoutEffect(() => {
    for (const element of table.current?.querySelectorAll<HTMLElement>('tr[data-row]') ?? []) {
      const row = rows[Number(element.ariaRowIndex) - HEAD_ROWS - 1]
      if (row !== undefined) element.dataset.side = sideOf(timesOf(row), window)
    }
  })
  // Rows that leave the screen are used again for those that enter it, which costs half of new ones.
  const slots = useSlots(indices.length)
  const [firstAt, lastAt] = [indices[0] ?? 0, indices.at(-1) ?? 0]
  return (
    <div
      ref={scroller}
      className={styles.waterfall}
      data-narrow={rowHeight === TALL_ROW_PX}
      style={{ ...trackProperties(window, full), ...gridLines(window, trace.summary.startUs) }}
    >
      <table ref={table} className={styles.table} {...treegrid(rows.length, cursorAt < 0 ? null : cursor)}>
        <WaterfallHead {...props} ref={head} onWindow={choose} />
        <tbody className={styles.rows} style={{ height }}>
          {indices.map((index) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <WaterfallRow
                key={index === cursorAt ? row.id : index % slots}
                row={row}
                origin={row.kind === 'span' ? origins.get(row.node.span.segmentId ?? '') : undefined}
                index={index}
                top={index * rowHeight}
                full={full}
                segment={segments.get(row.id)}
                solid={row.kind === 'span' ? props.solidOf(row.id) : NO_INTERVALS}
                path={path?.ofRow.get(row.id) ?? NO_INTERVALS}
                errors={errors}
                isMatch={matches?.has(row.id) ?? false}
                matchesBelow={matches === null || row.kind === 'gap' ? 0 : hiddenMatches(row.hidden, matches)}
                atCursor={row.id === cursor}
                selected={row.id === selected}
              />
            )
          })}
        </tbody>
      </table>
      {path !== null && (
        <div className={styles.joins} style={{ top: headHeight, height }} aria-hidden="true">
          <div>
            <div>
              {path.joins
                .filter(({ from, to }) => Math.max(from, to) >= firstAt && Math.min(from, to) <= lastAt)
                .slice(0, MOST_JOINS)
                .map(({ from, to, atUs }) => (
                  <i
                    key={`${from} ${to} ${atUs}`}
                    style={{
                      left: placeOf({ startUs: atUs, endUs: atUs }, full).left,
                      top: (Math.min(from, to) + 1) * rowHeight - PATH_PX,
                      height: Math.abs(to - from) * rowHeight,
                    }}
                  />
                ))}
            </div>
          </div>
        </div>
      )}
    </div>
  )
}

/** Numbers of rows in the document grow in steps of this. */
const SLOT_STEP = 16

/** As many slots as rows were ever shown at once: fewer would give two rows the same slot. */
function useSlots(count: number): number {
  const [most, setMost] = useState(0)
  if (count > most) setMost(Math.ceil(count / SLOT_STEP) * SLOT_STEP)
  return Math.max(most, count)
}

/** More lines of a path at once could not be distinguished. */
const MOST_JOINS = 100
/** From the middle of the strip of a row's path to the row's end. */
const PATH_PX = 3

const hiddenMatches = (hidden: readonly { readonly span: TraceSpan }[], matches: ReadonlySet<string>): number =>
  hidden.reduce((sum, { span }) => sum + (matches.has(span.spanId) ? 1 : 0), 0)

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
