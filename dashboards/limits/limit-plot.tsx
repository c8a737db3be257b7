'use client'

import { formatDurationMs, plural } from '../../lib/format'
import type { LimitsNow } from '../../lib/wire/limits'
import { Glyph, type GlyphName } from '../ui/glyph'
import { RANGE_PARAM } from '../ui/links'
import { useSearchParam } from '../ui/page-address'
import { PlotGrid, PlotTimes } from '../ui/plot-axis'
import { extentOf, HOUR_MS, type PlotWindow, percentAt, plotWindow, QUARTER_MS } from '../ui/plot-time'
import { Received } from '../ui/received'
import { Segments } from '../ui/segments'
import { formatLeft, formatShortSecond } from '../ui/times'
import styles from './limit-plot.module.css'
import {
  aheadOf,
  type LimitMark,
  type LimitPeriod,
  type LimitRow,
  limitRows,
  lineOf,
  type MarkKind,
} from './limit-rows'

const RANGES = [
  { id: 'quarter', label: '15 min', ms: QUARTER_MS },
  { id: 'hour', label: '1 h', ms: HOUR_MS },
  { id: 'day', label: '24 h', ms: 24 * HOUR_MS },
] as const

interface LimitPlotProps {
  readonly limits: LimitsNow
  readonly now: number
}

/** One bar for each limited category on a time axis, with what pages sent meanwhile. The tables below have the same. */
export function LimitPlot({ limits, now }: LimitPlotProps) {
  const [chosen, setChosen] = useSearchParam(RANGE_PARAM)
  const range = RANGES.find(({ id }) => id === chosen) ?? shortestRange(limits, now)
  const window = plotWindow(now, range.ms, aheadOf(limits.limits, now, range.ms))
  const rows = limitRows(limits, window, now)
  const severalUpstreams = new Set(rows.map(({ upstream }) => upstream)).size > 1
  return (
    <section className={styles.plot} aria-labelledby="over-time">
      <div className={styles.head}>
        <h2 id="over-time">Over time</h2>
        <Segments label="Range of the plot" segments={RANGES} current={range.id} onChange={setChosen} />
      </div>
      {rows.length === 0 && <p className="small soft">No limit within this range.</p>}
      <div className={styles.rows}>
        {rows.map((row) => (
          <div key={row.key} className={styles.row}>
            <span className={styles.label}>
              <Received className="mono" text={row.category} />
              {severalUpstreams && <Received className="faint" text={row.upstream} />}
            </span>
            <LimitLane row={row} window={window} now={now} />
            <span className={styles.left} data-running={row.untilMs !== null}>
              {row.untilMs === null ? 'ended' : `${formatLeft(row.untilMs, now) ?? 'ends'} left`}
            </span>
          </div>
        ))}
        <div className={styles.row}>
          <PlotTimes window={window} />
        </div>
      </div>
      <p className={styles.legend}>
        {KINDS.map(([kind, text]) => (
          <span key={kind} className="toned" data-tone={TONES[kind]}>
            <Glyph name={GLYPHS[kind]} /> {text}
          </span>
        ))}
      </p>
    </section>
  )
}

/** The shortest range that shows a limit; the longest when none does. */
function shortestRange({ limits, ended }: LimitsNow, now: number): (typeof RANGES)[number] {
  const latest = Math.max(...[...limits, ...ended].map(({ until }) => until))
  return RANGES.find(({ ms }) => latest >= now - ms) ?? RANGES[2]
}

const GLYPHS: Readonly<Record<MarkKind, GlyphName>> = {
  sent: 'envelope',
  violated: 'invalid',
  obeyed: 'accepted',
  resumed: 'play',
}
const TONES: Readonly<Record<MarkKind, string>> = { sent: 'quiet', violated: 'bad', obeyed: 'good', resumed: 'quiet' }
const TEXTS: Readonly<Record<MarkKind, string>> = {
  sent: 'was sent the limit',
  violated: 'sent the category nevertheless',
  obeyed: 'kept to it until its end',
  resumed: 'sent the category again',
}
const KINDS = Object.entries({
  sent: 'page was sent the limit',
  violated: 'page violated it',
  obeyed: 'page obeyed it',
  resumed: 'page sent again afterwards',
}) as readonly (readonly [MarkKind, string])[]

const HEIGHT = 50
const BAR_Y = 4
const BAR_HEIGHT = 12
const MARK_Y = 19
const LINE_HEIGHT = 15
const HALF_GLYPH = 6

interface LimitLaneProps {
  readonly row: LimitRow
  readonly window: PlotWindow
  readonly now: number
}

function LimitLane({ row: { category, periods, marks, untilMs }, window, now }: LimitLaneProps) {
  const x = `${percentAt(window, now)}%`
  return (
    <svg
      className={styles.lane}
      role="img"
      aria-label={`${plural(periods.length, 'limit')} of this category${untilMs === null ? '' : ', one in force'}`}
      data-limit-lane={category}
      width="100%"
      height={HEIGHT}
    >
      <PlotGrid window={window} />
      {periods.map((period) => (
        <PeriodBar key={period.fromMs} period={period} window={window} now={now} />
      ))}
      <line className={styles.now} x1={x} x2={x} y1="0" y2="100%" />
      {marks.map((mark) => (
        <MarkGlyph key={`${mark.kind} ${mark.atMs}`} mark={mark} window={window} now={now} />
      ))}
    </svg>
  )
}

/** The part that is over is filled; the part to come is an outline. */
function PeriodBar({ period: { fromMs, untilMs }, window, now }: { readonly period: LimitPeriod } & Timed) {
  const [whole, over] = [extentOf(window, fromMs, untilMs), extentOf(window, fromMs, Math.min(untilMs, now))]
  const bar = { y: BAR_Y, height: BAR_HEIGHT, rx: 2 }
  return (
    <g>
      <title>{`${formatShortSecond(fromMs, now)} to ${formatShortSecond(untilMs, now)}, ${formatDurationMs(untilMs - fromMs)}`}</title>
      {whole !== null && <rect className={styles.whole} {...bar} x={`${whole.x}%`} width={`${least(whole.width)}%`} />}
      {over !== null && <rect className={styles.over} {...bar} x={`${over.x}%`} width={`${least(over.width)}%`} />}
    </g>
  )
}

interface Timed {
  readonly window: PlotWindow
  readonly now: number
}

/** A limit of a second in a day would not be seen. */
const least = (percent: number): number => Math.max(0.25, percent)

function MarkGlyph({ mark: { kind, atMs, pages }, window, now }: { readonly mark: LimitMark } & Timed) {
  const count = Object.values(pages).reduce((sum, some) => sum + some, 0)
  return (
    <svg
      className={styles.mark}
      x={`${percentAt(window, atMs)}%`}
      y={MARK_Y + lineOf(kind) * LINE_HEIGHT}
      data-mark={kind}
    >
      <title>{`${formatShortSecond(atMs, now)}: ${markText(pages)}`}</title>
      <g className="toned" data-tone={TONES[kind]} transform={`translate(${-HALF_GLYPH} 0)`}>
        <rect className={styles.under} width="12" height="14" />
        <Glyph name={GLYPHS[kind]} />
        {count > 1 && (
          <text x="13" y="10">
            {count}
          </text>
        )}
      </g>
    </svg>
  )
}

/** `1 page sent the category nevertheless, 2 pages kept to it until its end` */
const markText = (pages: LimitMark['pages']): string =>
  KINDS.flatMap(([kind]) => (pages[kind] === undefined ? [] : [`${plural(pages[kind], 'page')} ${TEXTS[kind]}`])).join(
    ', ',
  )
