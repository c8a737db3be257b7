'use client'

import { lazy, Suspense, useId } from 'react'
import { formatCount, formatDurationMs, plural } from '../../lib/format'
import { useNow } from '../ui/clock'
import { Mark } from '../ui/delivery-status-mark'
import { PART_PARAM, RANGE_PARAM } from '../ui/links'
import { useSearchParam } from '../ui/page-address'
import { PlotGrid, PlotTimes } from '../ui/plot-axis'
import { extentOf, HOUR_MS, type PlotWindow, percentAt, plotWindow, QUARTER_MS } from '../ui/plot-time'
import { Segments } from '../ui/segments'
import styles from './attempt-plot.module.css'
import {
  BINS,
  type Bin,
  binsOf,
  clockOf,
  countsText,
  LANES,
  type PlottedAttempts,
  sinceOf,
  totalOf,
  unreadText,
  WAIT_ROWS,
  type Wait,
  waitsOf,
} from './plotted-attempts'
import { usePlottedAttempts } from './use-plotted-attempts'

const AttemptPanel = lazy(() => import('./attempt-panel').then((module) => ({ default: module.AttemptPanel })))

const RANGES = [
  { id: 'quarter', label: '15 min', ms: QUARTER_MS },
  { id: 'hour', label: '1 h', ms: HOUR_MS },
] as const

/** The attempts of the last hour over time, by answer, and the waits between them. Absent until there is one. */
export function AttemptPlot() {
  const answer = usePlottedAttempts()
  const [named, setRange] = useSearchParam(RANGE_PARAM)
  const [part, setPart] = useSearchParam(PART_PARAM)
  const range = RANGES.find(({ id }) => id === named) ?? RANGES[1]
  const heading = useId()
  const nowMs = useNow()
  if (answer !== null && answer.attempts.length === 0) return null
  const window = plotWindow(nowMs, range.ms)
  const { attempts, since } = answer ?? NOTHING
  const bins = binsOf(attempts, window)
  const total = totalOf(bins)
  // Before that, the next attempt of an envelope may not be read.
  const waits = waitsOf(
    attempts.filter(({ startedAt }) => startedAt >= since.accepted),
    nowMs,
  )
  const unread = unreadText(since, window.startMs)
  const most = Math.max(1, ...bins.flatMap(({ counts }) => Object.values(counts)))
  const textOf = (bin: Bin): string => {
    const missing = unreadText(since, bin.startMs)
    return `${clockOf(bin.startMs)} to ${clockOf(bin.endMs)}, ${countsText(bin.counts)}${missing && `; ${missing}`}`
  }
  const selected = bins.find(({ startMs, endMs }) => part !== null && startMs <= Number(part) && Number(part) < endMs)
  const select = (at: number): void => setPart(String(bins[at]?.startMs ?? ''))
  return (
    <section className={styles.plot} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading}>Attempts over time</h2>
        <span className="small faint num">
          {answer === null
            ? 'Loading …'
            : plural(
                Object.values(total).reduce((sum, count) => sum + count, 0),
                'attempt',
              )}
          {unread && `; ${unread}`}
        </span>
        <Segments label="Range of the plot" segments={RANGES} current={range.id} onChange={setRange} />
      </div>
      <div className={styles.lanes}>
        {LANES.map(({ answer: lane, word, meaning, glyph, tone }) => (
          <AnswerLane
            key={lane}
            label={
              <Mark glyph={glyph} tone={tone} title={meaning}>
                {word}{' '}
                <span className="num faint">
                  {formatCount(total[lane])}
                  {sinceOf(since, lane) > window.startMs && '+'}
                </span>
              </Mark>
            }
            tone={tone}
            counts={bins.map(({ counts }) => counts[lane])}
            most={most}
            sinceMs={sinceOf(since, lane)}
            window={window}
            bins={bins}
            selected={selected}
          />
        ))}
        <span className={styles.label} title="From an attempt to the next one of the same envelope">
          waits
        </span>
        <WaitLane waits={waits} sinceMs={since.accepted} window={window} nowMs={nowMs} selected={selected} />
        <span />
        <PlotTimes window={window} />
        <input
          type="range"
          className={styles.slider}
          aria-label="Time whose attempts are shown"
          aria-valuetext={selected === undefined ? 'none chosen' : textOf(selected)}
          min={0}
          max={BINS - 1}
          value={selected === undefined ? BINS - 1 : bins.indexOf(selected)}
          onChange={(event) => select(Number(event.currentTarget.value))}
          // While nothing is chosen the slider is at its end, so these change no value.
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'End' || key === 'Enter') select(Number(key === 'End' ? BINS - 1 : currentTarget.value))
          }}
          onClick={(event) => select(Number(event.currentTarget.value))}
        />
      </div>
      {selected !== undefined && (
        <Suspense fallback={<p className="small faint">Loading …</p>}>
          <AttemptPanel
            key={selected.startMs}
            bin={selected}
            heading={textOf(selected)}
            onClose={() => setPart(null)}
          />
        </Suspense>
      )}
      <details className="small">
        <summary>As a table</summary>
        <BinTable bins={bins} waits={waits} since={since} />
      </details>
    </section>
  )
}

const LANE_HEIGHT = 22
/** A single attempt is this high; the most of any lane fill it. */
const LOWEST = 6

interface LaneProps {
  readonly label: React.ReactNode
  readonly tone: string
  readonly counts: readonly number[]
  /** The most attempts of a part in any lane, which all lanes share as their scale. */
  readonly most: number
  /** Attempts before this time are not read. */
  readonly sinceMs: number
  readonly window: PlotWindow
  readonly bins: readonly Bin[]
  readonly selected: Bin | undefined
}

function AnswerLane({ label, tone, counts, most, sinceMs, window, bins, selected }: LaneProps) {
  return (
    <>
      <span className={styles.label}>{label}</span>
      <svg className={styles.lane} data-tone={tone} aria-hidden="true" width="100%" height={LANE_HEIGHT}>
        <Unread window={window} sinceMs={sinceMs} />
        <PlotGrid window={window} />
        <Chosen bin={selected} window={window} />
        {counts.map((count, at) => {
          const bin = bins[at]
          const extent = bin === undefined || count === 0 ? null : extentOf(window, bin.startMs, bin.endMs)
          if (bin === undefined || extent === null) return null
          const height = most === 1 ? LOWEST : LOWEST + (LANE_HEIGHT - 4 - LOWEST) * Math.sqrt((count - 1) / (most - 1))
          return (
            <rect
              key={bin.startMs}
              className={styles.mark}
              x={`${extent.x}%`}
              y={LANE_HEIGHT - 1 - height}
              width={`${extent.width * 0.8}%`}
              height={height}
              rx="1"
            />
          )
        })}
      </svg>
    </>
  )
}

const WAIT_HEIGHT = 6

interface WaitLaneProps {
  readonly waits: readonly Wait[]
  readonly sinceMs: number
  readonly window: PlotWindow
  readonly nowMs: number
  readonly selected: Bin | undefined
}

function WaitLane({ waits, sinceMs, window, nowMs, selected }: WaitLaneProps) {
  return (
    <svg className={styles.lane} aria-hidden="true" width="100%" height={WAIT_ROWS * WAIT_HEIGHT + 2}>
      <Unread window={window} sinceMs={sinceMs} />
      <PlotGrid window={window} />
      <Chosen bin={selected} window={window} />
      {waits.map(({ seq, attempt, fromMs, toMs, row }) => {
        const extent = extentOf(window, fromMs, toMs ?? nowMs)
        return (
          extent !== null &&
          row !== null && (
            <rect
              key={`${seq} ${attempt}`}
              className={styles.wait}
              data-open={toMs === null || undefined}
              x={`${extent.x}%`}
              y={1.5 + row * WAIT_HEIGHT}
              width={`${Math.max(0.2, extent.width)}%`}
              height={WAIT_HEIGHT - 2}
            />
          )
        )
      })}
    </svg>
  )
}

function Chosen({ bin, window }: { readonly bin: Bin | undefined; readonly window: PlotWindow }) {
  if (bin === undefined) return null
  const x = percentAt(window, bin.startMs)
  const width = percentAt(window, bin.endMs) - x
  return <rect className={styles.chosen} x={`${x}%`} y="0" width={`${width}%`} height="100%" />
}

/** The part of a lane before the attempts that are read. */
function Unread({ window, sinceMs }: Pick<LaneProps, 'window' | 'sinceMs'>) {
  const extent = extentOf(window, window.startMs, sinceMs)
  return extent !== null && <rect className={styles.unread} width={`${extent.width}%`} height="100%" />
}

const NOTHING: PlottedAttempts = { attempts: [], since: { accepted: 0, others: 0 } }

const COLUMNS = ['Time', ...LANES.map(({ word }) => word), 'waits that began'] as const

/** The same as numbers: one row for each part with attempts, newest first. */
function BinTable({
  bins,
  waits,
  since,
}: Pick<PlottedAttempts, 'since'> & {
  readonly bins: readonly Bin[]
  readonly waits: readonly Wait[]
}) {
  const shown = bins.filter(({ attempts }) => attempts.length > 0).reverse()
  if (shown.length === 0) return <p className="faint">No attempts in this range.</p>
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="num">
        {shown.map(({ startMs, endMs, counts }) => (
          <tr key={startMs}>
            <th scope="row">{clockOf(startMs)}</th>
            {LANES.map(({ answer }) => (
              <td key={answer}>
                {formatCount(counts[answer])}
                {sinceOf(since, answer) > startMs && '+'}
              </td>
            ))}
            <td>
              {startMs < since.accepted
                ? 'not read'
                : waitsText(waits.filter(({ fromMs }) => fromMs >= startMs && fromMs < endMs))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function waitsText(waits: readonly Wait[]): string {
  if (waits.length === 0) return '0'
  const longest = Math.max(...waits.map(({ fromMs, toMs }) => (toMs === null ? 0 : toMs - fromMs)))
  const open = waits.some(({ toMs }) => toMs === null) ? ', one goes on' : ''
  return `${formatCount(waits.length)}${longest === 0 ? '' : `, longest ${formatDurationMs(longest)}`}${open}`
}
