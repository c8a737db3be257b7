'use client'

import { formatCount, formatDurationUs } from '../../lib/format'
import { Glyph, type GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import styles from './lane.module.css'
import { fractionOf, type TimeWindow } from './time-axis'

/** Something with a time on the axis of a trace. */
export interface LaneMark {
  readonly id: string
  readonly startUs: number
  /** Later than `startUs` for something that took time. */
  readonly endUs: number
  /** Absent for a stretch of time, which is hatched. */
  readonly glyph?: GlyphName
  readonly tone?: 'ok' | 'warn' | 'bad' | 'faint'
  /** Shown beside the glyph, where there is space. */
  readonly label?: string
  readonly title: string
  readonly onOpen: (() => void) | null
}

interface MarkGroup {
  /** Position in the window, 0 to 1. */
  readonly fraction: number
  readonly marks: readonly LaneMark[]
}

/** Marks closer than this part of the axis would overlap, so they are merged. */
const NEAR = 1 / 80
/** A label needs this part of the axis before the next mark. */
const LABEL_SHARE = 0.16

interface Placed {
  readonly groups: readonly MarkGroup[]
  readonly stretches: readonly LaneMark[]
  /** How many lie before and after the window; they are counted, not drawn. */
  readonly earlier: readonly LaneMark[]
  readonly later: readonly LaneMark[]
}

/** The marks in a window. Points that would overlap are merged, the most serious first. */
export function placeMarks(marks: readonly LaneMark[], window: TimeWindow): Placed {
  const points = new Map<number, LaneMark[]>()
  const [stretches, earlier, later]: [LaneMark[], LaneMark[], LaneMark[]] = [[], [], []]
  for (const mark of marks) {
    const [from, to] = [fractionOf(window, mark.startUs), fractionOf(window, mark.endUs)]
    if (to < 0) earlier.push(mark)
    else if (from > 1) later.push(mark)
    else if (mark.glyph === undefined) stretches.push(mark)
    else {
      const bucket = Math.round(Math.max(0, from) / NEAR)
      const found = points.get(bucket)
      if (found === undefined) points.set(bucket, [mark])
      else found.push(mark)
    }
  }
  const groups = [...points]
    .sort(([a], [b]) => a - b)
    .map(([bucket, found]) => ({
      fraction: Math.min(1, bucket * NEAR),
      marks: found.sort((a, b) => severity(b) - severity(a)),
    }))
  return { groups, stretches, earlier, later }
}

const severity = ({ tone }: LaneMark): number => (tone === 'bad' ? 2 : tone === 'warn' ? 1 : 0)

interface LaneProps {
  readonly name: string
  readonly marks: readonly LaneMark[]
  readonly window: TimeWindow
  /** Shows the whole trace: a count of marks outside the window was clicked. */
  readonly onWhole: () => void
}

/** One line of marks on the axis. Its text is a list; hover explains, a click opens. */
export function Lane({ name, marks, window, onWhole }: LaneProps) {
  const { groups, stretches, earlier, later } = placeMarks(marks, window)
  const percent = (us: number): string => `${Math.min(Math.max(fractionOf(window, us), 0), 1) * 100}%`
  return (
    <ul className={styles.lane} aria-label={name}>
      {stretches.map((mark) => (
        <li
          key={mark.id}
          className={styles.stretch}
          title={printable(mark.title)}
          style={{ left: percent(mark.startUs), right: `calc(100% - ${percent(mark.endUs)})` }}
        >
          <span className="visually-hidden">{printable(mark.title)}</span>
        </li>
      ))}
      {groups.map(({ fraction, marks: merged }, at) => {
        const [first] = merged
        if (first === undefined) return null
        const next = stretches.map((mark) => fractionOf(window, mark.startUs)).find((from) => from > fraction) ?? 1
        const space = Math.min(groups[at + 1]?.fraction ?? 1, next) - fraction
        return (
          <li key={first.id} style={{ left: `${fraction * 100}%` }}>
            <MarkButton marks={merged} first={first} label={space >= LABEL_SHARE ? first.label : undefined} />
          </li>
        )
      })}
      {earlier.length > 0 && <Outside side="earlier" marks={earlier} onWhole={onWhole} window={window} />}
      {later.length > 0 && <Outside side="later" marks={later} onWhole={onWhole} window={window} />}
    </ul>
  )
}

const MOST_LINES = 8

function titleOf(marks: readonly LaneMark[]): string {
  const lines = marks.slice(0, MOST_LINES).map(({ title }) => printable(title))
  return [...lines, ...(marks.length > MOST_LINES ? [`and ${formatCount(marks.length - MOST_LINES)} more`] : [])].join(
    '\n',
  )
}

interface MarkButtonProps {
  readonly marks: readonly LaneMark[]
  readonly first: LaneMark
  readonly label: string | undefined
}

function MarkButton({ marks, first, label }: MarkButtonProps) {
  const title = titleOf(marks)
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.mark}
      data-tone={first.tone}
      title={title}
      aria-label={title}
      onClick={first.onOpen ?? undefined}
    >
      {first.glyph !== undefined && <Glyph name={first.glyph} />}
      {marks.length > 1 ? <span className="num">{formatCount(marks.length)}</span> : label}
    </button>
  )
}

interface OutsideProps {
  readonly side: 'earlier' | 'later'
  readonly marks: readonly LaneMark[]
  readonly window: TimeWindow
  readonly onWhole: () => void
}

function Outside({ side, marks, window, onWhole }: OutsideProps) {
  const [only] = marks
  const away =
    marks.length === 1 && only !== undefined && side === 'later'
      ? ` +${formatDurationUs(only.startUs - window.endUs)}`
      : ` ${side}`
  return (
    <li className={styles.outside} data-side={side}>
      <button type="button" tabIndex={-1} title={titleOf(marks)} onClick={onWhole}>
        {side === 'earlier' && '‹ '}
        {formatCount(marks.length)}
        {away}
        {side === 'later' && ' ›'}
      </button>
    </li>
  )
}
