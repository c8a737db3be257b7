'use client'

import { type Ref, useMemo } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { Breadcrumb } from '../../lib/wire/event'
import type { Span, TraceDetail } from '../../lib/wire/trace'
import { printable } from '../ui/printable'
import { withSign } from '../ui/times'
import type { PanelPart } from './detail-panel'
import { type Mark, type Marks, marksIn } from './marks'
import {
  fractionOf,
  MAP_HEIGHT,
  MAP_WIDTH,
  MOST_TICKS,
  minimapPaths,
  partOf,
  showsAll,
  type TimeWindow,
  ticks,
} from './time-axis'
import { useRangeDrag } from './use-waterfall-pointer'
import styles from './waterfall-head.module.css'

interface WaterfallHeadProps {
  readonly ref: Ref<HTMLTableSectionElement>
  readonly trace: TraceDetail
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
  readonly onShow: (part: PanelPart) => void
}

/** The head always counts as two rows, so that the row indices below do not change. */
export const HEAD_ROWS = 2

/** Ticks farther right have no space for a label; on a narrow screen the limit is lower. */
const LAST_LABEL = 0.9
const LAST_NARROW_LABEL = 0.7

/** Above the rows: minimap, time axis and marks. Dragging across minimap or axis zooms. */
export function WaterfallHead({ ref, trace, breadcrumbs, window, full, onWindow, onShow }: WaterfallHeadProps) {
  const { errors } = trace
  const drag = useRangeDrag(
    (from, to) => onWindow(partOf(window, from, to)),
    () => onWindow(full),
  )
  const marks = useMemo(() => marksIn(window, errors, breadcrumbs), [window, errors, breadcrumbs])
  return (
    <thead ref={ref} className={styles.head}>
      <tr aria-rowindex={1} className={styles.row}>
        <th scope="col" className={styles.name}>
          Span
        </th>
        <th scope="col" className={styles.time}>
          <span className="visually-hidden">Time</span>
          <Minimap spans={trace.spans} window={window} full={full} onWindow={onWindow} />
          <div ref={drag.ref} className={styles.axis} title="Drag to zoom, double-click for the whole trace">
            {ticks(window, trace.summary.startUs, MOST_TICKS).map((tick) => (
              <span
                key={tick.offsetUs}
                className={styles.tick}
                data-late={tick.fraction > LAST_NARROW_LABEL}
                style={{ left: `${tick.fraction * 100}%` }}
              >
                {tick.fraction < LAST_LABEL && tickLabel(tick.offsetUs)}
              </span>
            ))}
            {drag.range !== null && (
              <span
                className={styles.brush}
                style={{ left: `${drag.range.from * 100}%`, width: `${(drag.range.to - drag.range.from) * 100}%` }}
              />
            )}
          </div>
        </th>
        <th scope="col" className={styles.sdk}>
          <span>SDK</span>
        </th>
        <th scope="col" className={styles.status}>
          <span>Delivery</span>
        </th>
      </tr>
      {(errors.length > 0 || breadcrumbs.length > 0) && (
        <tr aria-rowindex={2} className={`${styles.row} ${styles.happened}`}>
          <td className={styles.counts}>
            {errors.length > 0 && (
              <Count sign="✕" bad many={errors.length} one="error" onClick={() => onShow('errors')} />
            )}
            {breadcrumbs.length > 0 && (
              <Count sign="•" many={breadcrumbs.length} one="breadcrumb" onClick={() => onShow('breadcrumbs')} />
            )}
          </td>
          <td className={styles.lane}>
            <MarksLane
              marks={marks}
              onShow={onShow}
              onEdge={() => (showsAll(window, full) ? onShow('breadcrumbs') : onWindow(full))}
            />
          </td>
          <td className={styles.sdk} />
          <td className={styles.status} />
        </tr>
      )}
    </thead>
  )
}

interface CountProps {
  readonly sign: string
  readonly bad?: boolean
  readonly many: number
  readonly one: string
  readonly onClick: () => void
}

function Count({ sign, bad = false, many, one, onClick }: CountProps) {
  return (
    <button type="button" className={bad ? styles.bad : undefined} onClick={onClick}>
      <span aria-hidden="true">{sign} </span>
      {formatCount(many)} <span className={styles.word}>{many === 1 ? one : `${one}s`}</span>
    </button>
  )
}

const tickLabel = (offsetUs: number): string => (offsetUs === 0 ? '0' : withSign(formatDurationUs(offsetUs), offsetUs))

interface MinimapProps {
  readonly spans: readonly Span[]
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
}

/** The whole trace, with the window highlighted. For the pointer only; the keyboard zooms with w, s, a and d. */
function Minimap({ spans, window, full, onWindow }: MinimapProps) {
  const drag = useRangeDrag(
    (from, to) => onWindow(partOf(full, from, to)),
    () => onWindow(full),
  )
  const paths = useMemo(() => minimapPaths(spans, full), [spans, full])
  const from = drag.range?.from ?? fractionOf(full, window.startUs)
  const to = drag.range?.to ?? fractionOf(full, window.endUs)
  return (
    <div ref={drag.ref} className={styles.map} aria-hidden="true">
      <svg viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {[...paths].map(([series, path]) => (
          <path key={series} data-series={series} d={path} />
        ))}
      </svg>
      <span className={styles.shade} style={{ left: 0, width: `${from * 100}%` }} />
      <span className={styles.shade} style={{ right: 0, width: `${(1 - to) * 100}%` }} />
    </div>
  )
}

interface MarksLaneProps {
  readonly marks: Marks
  readonly onShow: (part: PanelPart) => void
  /** A counter of marks outside the window was clicked. */
  readonly onEdge: () => void
}

function MarksLane({ marks, onShow, onEdge }: MarksLaneProps) {
  return (
    <div className={styles.marksLane}>
      {marks.marks.map((mark) => (
        <button
          key={mark.fraction}
          type="button"
          tabIndex={-1}
          className={mark.errors.length > 0 ? styles.error : styles.breadcrumb}
          style={{ left: `${mark.fraction * 100}%` }}
          title={titleOf(mark)}
          aria-label={titleOf(mark)}
          onClick={() => onShow(mark.errors.length > 0 ? 'errors' : 'breadcrumbs')}
        >
          {mark.errors.length > 0 && (
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <circle cx="8" cy="8" r="7.5" />
              <path d="M5.5 5.5l5 5M10.5 5.5l-5 5" />
            </svg>
          )}
        </button>
      ))}
      {marks.earlier > 0 && (
        <button type="button" className={styles.earlier} onClick={onEdge}>
          ‹ {formatCount(marks.earlier)} earlier
        </button>
      )}
      {marks.later > 0 && (
        <button type="button" className={styles.later} onClick={onEdge}>
          {formatCount(marks.later)} later ›
        </button>
      )}
    </div>
  )
}

function titleOf({ errors, breadcrumbs }: Mark): string {
  const lines = [
    ...errors.map((error) => error.title),
    ...breadcrumbs.slice(0, 8).map(({ category, message }) => [category, message].filter(Boolean).join(': ')),
  ].map((line) => printable(line))
  if (breadcrumbs.length > 8) lines.push(`and ${plural(breadcrumbs.length - 8, 'more breadcrumb')}`)
  return lines.join('\n')
}
