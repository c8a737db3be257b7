'use client'

import { type Ref, useDeferredValue, useMemo } from 'react'
import { formatCount } from '../../lib/format'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { ServiceName } from '../ui/received'
import { formatOffset } from '../ui/times'
import { Lane, type LaneMark } from './lane'
import { MAP_ROWS, MAP_WIDTH, minimapPaths } from './minimap'
import { failed } from './span-facts'
import { fractionOf, MOST_TICKS, partOf, type TimeWindow, ticks } from './time-axis'
import type { TraceData } from './trace-data'
import { useRangeDrag } from './use-waterfall-pointer'
import styles from './waterfall-head.module.css'

export interface TraceLane {
  readonly name: string
  /** Counts of the lane's marks: `5 breadcrumbs, 1 error`. */
  readonly counts: string
  readonly marks: readonly LaneMark[]
}

export interface WaterfallHeadProps {
  readonly ref: Ref<HTMLTableSectionElement>
  readonly trace: TraceData
  /** `78 spans, 33 of them in 3 groups`. */
  readonly summary: string
  readonly lanes: readonly TraceLane[]
  /** Times of matches, which the minimap shows as ticks. */
  readonly found: readonly TraceSpan[]
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
}

/** The head always counts as this many rows, so that the row indices below do not change. */
export const HEAD_ROWS = 5

/** Ticks farther right have no space for a label; on a narrow screen the limit is lower. */
const LAST_LABEL = 0.9
const LAST_NARROW_LABEL = 0.7

/** Above the rows: minimap, time axis and lanes. Dragging across minimap or axis zooms; Ctrl and the wheel zoom at the cursor. */
export function WaterfallHead({ ref, trace, summary, lanes, found, window, full, onWindow }: WaterfallHeadProps) {
  const drag = useRangeDrag(
    (from, to) => onWindow(partOf(window, from, to)),
    () => onWindow(full),
  )
  const services = useMemo(() => countServices(trace.spans), [trace.spans])
  return (
    <thead ref={ref} className={styles.head}>
      <tr aria-rowindex={1} className={styles.row}>
        <td className={styles.legend}>
          {services.slice(0, MOST_SERVICES).map(([service, count]) => (
            <span key={service}>
              <ServiceName service={service} /> <span className="num faint">{formatCount(count)}</span>
            </span>
          ))}
          {services.length > MOST_SERVICES && (
            <span className="faint">{formatCount(services.length - MOST_SERVICES)} more</span>
          )}
        </td>
        <td className={styles.time}>
          <Minimap trace={trace} found={found} window={window} full={full} onWindow={onWindow} />
        </td>
      </tr>
      <tr aria-rowindex={2} className={styles.row}>
        <th scope="col" className={styles.name}>
          <span className="visually-hidden">Span: </span>
          {summary}
        </th>
        <th scope="col" className={styles.time}>
          <span className="visually-hidden">Time</span>
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
      </tr>
      {lanes.map((lane, at) => (
        <tr key={lane.name} aria-rowindex={at + 3} className={`${styles.row} ${styles.lane}`}>
          <th scope="row" className={styles.name}>
            {lane.name} <span className={styles.counts}>{lane.counts}</span>
          </th>
          <td className={styles.time}>
            <Lane {...lane} window={window} onWhole={() => onWindow(full)} />
          </td>
        </tr>
      ))}
    </thead>
  )
}

const MOST_SERVICES = 4

/** The services of a trace with their spans, the most frequent first. */
function countServices(spans: readonly TraceSpan[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { service } of spans) counts.set(service, (counts.get(service) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

const tickLabel = (offsetUs: number): string => (offsetUs === 0 ? '0' : formatOffset(offsetUs))

const NOTHING_DRAWN: Pick<WaterfallHeadProps, 'full'> & Pick<TraceData, 'spans'> = {
  spans: [],
  full: { startUs: 0, endUs: 1 },
}

type MinimapProps = Pick<WaterfallHeadProps, 'trace' | 'found' | 'window' | 'full' | 'onWindow'>

/** The whole trace, with the window highlighted. For the pointer only; the keyboard zooms with w, s, a and d. */
function Minimap({ trace, found, window, full, onWindow }: MinimapProps) {
  const drag = useRangeDrag(
    (from, to) => onWindow(partOf(full, from, to)),
    () => onWindow(full),
  )
  // Drawn in a frame after that of the rows, which come first.
  const drawn = useDeferredValue(
    useMemo(() => ({ spans: trace.spans, full }), [trace.spans, full]),
    NOTHING_DRAWN,
  )
  const paths = useMemo(
    () =>
      minimapPaths(
        drawn.spans.map(({ service, op, status, startUs, endUs }) => {
          return { service, op, startUs, endUs, failed: failed(status) }
        }),
        drawn.full,
      ),
    [drawn],
  )
  const at = (us: number): number => Math.round(fractionOf(full, us) * MAP_WIDTH)
  const from = drag.range?.from ?? fractionOf(full, window.startUs)
  const to = drag.range?.to ?? fractionOf(full, window.endUs)
  return (
    <div ref={drag.ref} className={styles.map} aria-hidden="true">
      <svg viewBox={`0 0 ${MAP_WIDTH} ${MAP_ROWS}`} preserveAspectRatio="none" aria-hidden="true">
        {[...paths].map(([paint, path]) => (
          <path key={paint} data-paint={paint} d={path} />
        ))}
        <path data-paint="match" d={found.map(({ startUs }) => `M${at(startUs)} 0V5`).join('')} />
        <path
          data-paint="error"
          d={trace.errors.map(({ timestampUs }) => `M${at(timestampUs)} 0V${MAP_ROWS}`).join('')}
        />
      </svg>
      <span className={styles.shade} style={{ left: 0, width: `${from * 100}%` }} />
      <span className={styles.shade} style={{ right: 0, width: `${(1 - to) * 100}%` }} />
    </div>
  )
}
