'use client'

import { type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from 'react'
import { formatCount, formatDurationUs, plural } from '../../../lib/format'
import type { CriticalPath } from '../../../lib/protocol/trace/critical-path'
import { type FlameFrame, flameOf, pathFlame } from '../../../lib/protocol/trace/flame'
import { printable } from '../../ui/printable'
import { Received, ServiceName } from '../../ui/received'
import { Segments } from '../../ui/segments'
import {
  type FlameBox,
  flameLayout,
  frameKey,
  framesTo,
  nextBox,
  type ServiceTime,
  timeByService,
} from './flame-layout'
import styles from './flame-view.module.css'
import type { ViewProps } from './other-view'
import { colour, EmptyView, percentText, properties, treeWithin, useFirstRows, ViewFrame } from './view-frame'

type Mode = 'path' | 'all'

const MODES = [
  { id: 'path', label: 'Critical path' },
  { id: 'all', label: 'All spans' },
] as const

/** The flame graph of the critical path, or of all spans by name, and the time of each service in it. */
export function FlameView({ analysis, within, selected, onSelect }: ViewProps) {
  const { tree, nodes, path, selfUs } = analysis
  const [mode, setMode] = useState<Mode>('path')
  const [zoomKey, setZoomKey] = useState<string | null>(null)
  const { frames, totalUs } = useMemo(() => {
    const shown = treeWithin(tree, within)
    if (mode === 'all') return flameOf(shown, selfUs())
    return path === null ? { frames: [], totalUs: 0 } : pathFlame(shown, path)
  }, [mode, tree, within, selfUs, path])
  const zoomed = frames.find((frame) => frameKey(frame) === zoomKey) ?? null
  const services = useMemo(() => timeByService(frames), [frames])
  const { boxes, rows, leftOut } = useMemo(() => flameLayout(frames, zoomed), [frames, zoomed])

  const lengthOf = (id: string): number => {
    const span = nodes.get(id)?.span
    return span === undefined ? 0 : span.endUs - span.startUs
  }
  const select = ({ spanIds }: FlameFrame): void => {
    const [first, ...others] = spanIds
    if (first === undefined) return
    onSelect(others.reduce((slowest, id) => (lengthOf(id) > lengthOf(slowest) ? id : slowest), first))
  }
  const bar = (
    <>
      <Segments
        label="Width"
        segments={MODES}
        current={mode}
        onChange={(next) => {
          setMode(next)
          setZoomKey(null)
        }}
      />
      {totalUs > 0 && (
        <span>
          {mode === 'path'
            ? `Width is time on the critical path, added by name. A row is never wider than ${formatDurationUs(totalUs)}.`
            : `Width is self time, added by name: ${formatDurationUs(totalUs)}. Spans that run at the same time count each.`}{' '}
          Double-click, or Shift Enter, zooms.
          {leftOut > 0 && ` ${plural(leftOut, 'narrow rectangle')} left out.`}
        </span>
      )}
    </>
  )
  if (totalUs === 0) {
    return (
      <ViewFrame bar={bar}>
        <EmptyView>{emptyText(nodes.size, mode, path, within !== null)}</EmptyView>
      </ViewFrame>
    )
  }
  return (
    <ViewFrame bar={bar}>
      {zoomed !== null && (
        <nav className={styles.crumbs} aria-label="Zoom">
          <button type="button" className="link-button" onClick={() => setZoomKey(null)}>
            Whole graph
          </button>
          {framesTo(frames, zoomed).map((frame) => (
            <button
              key={frameKey(frame)}
              type="button"
              className="link-button"
              aria-current={frame === zoomed}
              onClick={() => setZoomKey(frameKey(frame))}
            >
              <Received text={frame.name} />
            </button>
          ))}
        </nav>
      )}
      <Graph
        boxes={boxes}
        rows={rows}
        totalUs={totalUs}
        of={mode === 'all' ? 'all' : within === null ? 'the path' : 'the path in this subtree'}
        selected={selected}
        onSelect={select}
        onZoom={(frame) => setZoomKey(frameKey(frame))}
      />
      <ServiceTimes services={services} of={mode === 'path' ? 'on the path' : 'of self time'} totalUs={totalUs} />
    </ViewFrame>
  )
}

function emptyText(spans: number, mode: Mode, path: CriticalPath | null, isPart: boolean): string {
  if (spans === 0) return 'No spans yet. A flame graph needs spans with a duration; they arrive after they end.'
  if (mode === 'all') return 'No span has a duration, so there is no width to draw.'
  if (path === null) return 'Computing the critical path …'
  if (path.failure !== null)
    return `There is no critical path: ${path.failure}. “All spans” shows the time of every span.`
  return isPart
    ? 'No span of this subtree is on the critical path: the trace did not wait for it. “All spans” shows its time.'
    : 'No span has a duration, so there is no critical path.'
}

interface GraphProps {
  readonly boxes: readonly FlameBox[]
  readonly rows: number
  readonly totalUs: number
  /** Ends the sentence “13 % of …”. */
  readonly of: string
  readonly selected: string | null
  readonly onSelect: (frame: FlameFrame) => void
  readonly onZoom: (frame: FlameFrame) => void
}

/** Rectangles with one tab stop: arrows move, Enter selects, Shift Enter zooms. */
function Graph({ boxes, rows, totalUs, of, selected, onSelect, onZoom }: GraphProps) {
  const list = useRef<HTMLUListElement>(null)
  const pressed = useRef<FlameFrame | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const at = boxes.find(({ key }) => key === cursor) ?? boxes[0]
  const onKeyDown = (box: FlameBox) => (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault()
      onZoom(box.frame)
      return
    }
    const next = nextBox(boxes, box, event.key)
    if (next === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll('button')[boxes.indexOf(next)]?.focus()
  }
  // The first click opens the panel, which moves rectangles: the second one zooms into the rectangle of the first.
  const onClick = (box: FlameBox) => (event: MouseEvent) => {
    if (event.detail === 2 && pressed.current !== null) return onZoom(pressed.current)
    pressed.current = box.frame
    onSelect(box.frame)
  }
  return (
    <ul ref={list} className={styles.graph} aria-label="Flame graph" style={properties({ '--rows': rows })}>
      {boxes.map((box) => {
        const { frame, key, left, width } = box
        const label = [printable(frame.name), opOf(frame), formatDurationUs(frame.totalUs)].filter(Boolean).join(' ')
        const facts = factsOf(frame, totalUs, of)
        return (
          <li
            key={key}
            style={properties({ '--x': left, '--w': width, '--depth': frame.depth, ...colour(frame.service) })}
          >
            <button
              type="button"
              className={styles.box}
              data-frame={frame.name}
              data-above={!box.isInZoom}
              aria-pressed={selected !== null && frame.spanIds.includes(selected)}
              tabIndex={box === at ? 0 : -1}
              title={`${label}\n${facts}`}
              aria-label={width < LABELLED ? `${label}, ${facts}` : undefined}
              onClick={onClick(box)}
              onKeyDown={onKeyDown(box)}
              onFocus={() => setCursor(key)}
            >
              {width >= LABELLED && (
                <>
                  <Received text={frame.name} /> <bdi className="mono">{opOf(frame)}</bdi>{' '}
                  {formatDurationUs(frame.totalUs)} <span className="visually-hidden">{facts}</span>
                </>
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** Narrower rectangles have no label. */
const LABELLED = 0.03

const opOf = ({ op, name }: FlameFrame): string => printable(op === name ? '' : (op ?? ''))

/** The facts that have no space in a rectangle. */
function factsOf({ service, totalUs, ownUs, spanIds }: FlameFrame, allUs: number, of: string): string {
  const share = `${percentText(totalUs / allUs)} of ${of}`
  return `${printable(service)}: ${share}, own ${formatDurationUs(ownUs)}, ${plural(spanIds.length, 'span')}`
}

interface ServiceTimesProps {
  readonly services: readonly ServiceTime[]
  readonly of: string
  readonly totalUs: number
}

function ServiceTimes({ services, of, totalUs }: ServiceTimesProps) {
  const [shown, more] = useFirstRows(services)
  return (
    <section className={styles.services} aria-labelledby="where">
      <h2 id="where">Where the {formatDurationUs(totalUs)} went</h2>
      <div className={styles.shares} aria-hidden="true">
        {shown.map(({ service, share }) => (
          <span key={service} style={properties({ '--w': share, ...colour(service) })} />
        ))}
      </div>
      <table aria-labelledby="where">
        <tbody>
          {shown.map(({ service, us, share, parts }) => (
            <tr key={service} data-service={service}>
              <th scope="row">
                <ServiceName service={service} />
              </th>
              <td className="num">
                <strong>{formatDurationUs(us)}</strong>
              </td>
              <td className="num">
                {percentText(share)} <span className="visually-hidden">{of}</span>
              </td>
              <td>{partsText(parts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </section>
  )
}

const MOST_PARTS = 3

function partsText(parts: ServiceTime['parts']): string {
  const named = parts.slice(0, MOST_PARTS).map(({ name, us }) => `${printable(name)} ${formatDurationUs(us)}`)
  const others = parts.slice(MOST_PARTS)
  const rest = others.reduce((sum, { us }) => sum + us, 0)
  const more = others.length === 0 ? '' : `, ${formatCount(others.length)} more ${formatDurationUs(rest)}`
  return `${named.join(', ')}${more}.`
}
