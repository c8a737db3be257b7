'use client'

import { useMemo } from 'react'
import type { Span } from '../../lib/wire/trace'
import styles from './minimap.module.css'
import { MAP_HEIGHT, MAP_WIDTH, minimapPaths } from './minimap-paths'
import { fractionOf, partOf, type TimeWindow } from './time-window'
import { useRangeDrag } from './use-range-drag'

interface MinimapProps {
  readonly spans: readonly Span[]
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
}

/** The whole trace in small, with the part that is looked at. For the pointer; the keyboard zooms with w, s, a, d. */
export function Minimap({ spans, window, full, onWindow }: MinimapProps) {
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
