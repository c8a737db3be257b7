'use client'

import { type Ref, useMemo } from 'react'
import type { Breadcrumb } from '../../lib/wire/event'
import type { TraceDetail } from '../../lib/wire/trace'
import { formatCount, formatDuration, plural } from '../ui/quantities'
import { withSign } from '../ui/times'
import { marksIn } from './marks'
import { MarksLane } from './marks-lane'
import { Minimap } from './minimap'
import { MOST_TICKS, ticks } from './ticks'
import { partOf, showsAll, type TimeWindow } from './time-window'
import type { PanelPart } from './trace-address'
import { useRangeDrag } from './use-range-drag'
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

/** The head counts as two rows, also while there is nothing for its second: indices of the rows below then never change. */
export const HEAD_ROWS = 2

/** A tick farther right has no room for its label; on a narrow screen that begins sooner. */
const LAST_LABEL = 0.9
const LAST_NARROW_LABEL = 0.7

/** Above the rows: the whole trace in small, the axis, and what happened on it. All three are dragged to zoom. */
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
        <th scope="col" className={styles.deliveryStatus}>
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
          <td className={styles.deliveryStatus} />
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
    <button type="button" className={bad ? styles.bad : undefined} aria-label={plural(many, one)} onClick={onClick}>
      <span aria-hidden="true">{sign} </span>
      {formatCount(many)}
      <span className={styles.word}>{many === 1 ? one : `${one}s`}</span>
    </button>
  )
}

const tickLabel = (offsetUs: number): string => (offsetUs === 0 ? '0' : withSign(formatDuration(offsetUs), offsetUs))
