'use client'

import { type Ref, useMemo } from 'react'
import type { Breadcrumb } from '../../../lib/wire/event'
import type { TraceDetail } from '../../../lib/wire/trace'
import { formatDuration, plural } from '../../words/quantities'
import { withSign } from '../../words/times'
import { marksIn } from '../arrange/marks'
import { MOST_TICKS, ticks } from '../arrange/ticks'
import { partOf, type TimeWindow } from '../arrange/time-window'
import type { PanelPart } from '../url/trace-address'
import { MarksLane } from './marks-lane'
import { Minimap } from './minimap'
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

/** A tick farther right has no room for its label. */
const LAST_LABEL = 0.9

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
          <span className={styles.counts}>
            {errors.length > 0 && (
              <button type="button" className={styles.bad} onClick={() => onShow('errors')}>
                <span aria-hidden="true">✕ </span>
                {plural(errors.length, 'error')}
              </button>
            )}
            {breadcrumbs.length > 0 && (
              <button type="button" onClick={() => onShow('breadcrumbs')}>
                <span aria-hidden="true">• </span>
                {plural(breadcrumbs.length, 'breadcrumb')}
              </button>
            )}
          </span>
        </th>
        <th scope="col" className={styles.time}>
          <span className="visually-hidden">Time</span>
          <Minimap spans={trace.spans} window={window} full={full} onWindow={onWindow} />
          <div ref={drag.ref} className={styles.axis} title="Drag to zoom, double-click for the whole trace">
            {ticks(window, trace.summary.startUs, MOST_TICKS).map((tick) => (
              <span key={tick.offsetUs} className={styles.tick} style={{ left: `${tick.fraction * 100}%` }}>
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
          {(errors.length > 0 || breadcrumbs.length > 0) && <MarksLane marks={marks} onShow={onShow} />}
        </th>
        <th scope="col" className={styles.fate}>
          Delivery
        </th>
      </tr>
    </thead>
  )
}

const tickLabel = (offsetUs: number): string => (offsetUs === 0 ? '0' : withSign(formatDuration(offsetUs), offsetUs))
