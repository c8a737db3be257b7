import { useState } from 'react'
import { formatCount, plural } from '../../lib/format'
import type { EventDetail } from '../../lib/wire/event'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { ServiceName } from '../ui/received'
import { Segments } from '../ui/segments'
import { formatClock, formatDateTime, formatOffset } from '../ui/times'
import styles from './before.module.css'
import {
  type Entry,
  entriesBefore,
  entryGlyph,
  marksBefore,
  nearestEntries,
  type Scale,
  ticksBefore,
  toneOf,
} from './before-entries'
import bar from './section-bar.module.css'
import type { TraceAround } from './use-trace-around'

interface BeforeProps {
  readonly event: EventDetail
  readonly around: TraceAround
  /** A sentence for each clock that differs from the collector's. */
  readonly clocks: readonly string[]
}

/** Breadcrumbs, logs and spans before the error, of browser and server: a line, and the same as a list. */
export function Before({ event, around, clocks }: BeforeProps) {
  const [scale, setScale] = useState<Scale>('logarithmic')
  const entries = entriesBefore(event, around)
  const shown = nearestEntries(entries)
  return (
    <section aria-labelledby="before" className={styles.before}>
      <div className={bar.bar}>
        <h2 id="before">Before it happened</h2>
        <Segments label="Scale of the line" current={scale} onChange={setScale} segments={SCALES} />
        <span className={bar.note}>{countsText(entries)}</span>
      </div>
      {entries.length === 1 ? (
        <p className="small soft">No breadcrumbs, and no logs or spans of its trace before it.</p>
      ) : (
        <Line entries={shown} scale={scale} originUs={event.timestampUs} />
      )}
      {entries.length > shown.length && (
        <p className="small faint">
          {plural(entries.length - shown.length, 'older entry', 'older entries')} not shown.
        </p>
      )}
      {clocks.map((text) => (
        <p key={text} className="small" data-clock>
          <Glyph name="warning" /> {printable(text)}
        </p>
      ))}
      <table className={styles.list} aria-label="What happened before the error, oldest first">
        <tbody>
          {shown.map((entry) => (
            <Row key={entry.key} entry={entry} originUs={event.timestampUs} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

const SCALES = [
  { id: 'logarithmic', label: 'Logarithmic' },
  { id: 'linear', label: 'Linear' },
] as const

const countsText = (entries: readonly Entry[]): string =>
  (['breadcrumb', 'log', 'span'] as const)
    .map((kind) => ({ kind, count: entries.filter((entry) => entry.kind === kind).length }))
    .filter(({ kind, count }) => kind === 'breadcrumb' || count > 0)
    .map(({ kind, count }) => plural(count, kind))
    .join(', ')

function Row({ entry, originUs }: { readonly entry: Entry; readonly originUs: number }) {
  const { us, kind, level, category, text, detail, href, service } = entry
  return (
    <tr className="toned" data-tone={toneOf(entry)} data-kind={kind}>
      <td className={`num faint ${styles.time}`} title={us === null ? undefined : formatDateTime(us / 1000)}>
        {us === null ? '–' : us === originUs ? '0' : formatOffset(us - originUs)}
      </td>
      <td className={styles.glyph}>
        <Glyph name={entryGlyph(entry)} />
      </td>
      <th scope="row">
        {category}
        {level !== null && level !== 'info' && kind !== 'error' && ` ${level}`}
      </th>
      <td>
        <bdi>{href === null ? text : <a href={href}>{text}</a>}</bdi>
        {detail !== null && <bdi className="faint"> {detail}</bdi>}
      </td>
      <td className={`faint ${styles.service}`}>{service !== null && <ServiceName service={service} />}</td>
    </tr>
  )
}

interface LineProps {
  readonly entries: readonly Entry[]
  readonly scale: Scale
  readonly originUs: number
}

const percent = (at: number): string => `${(at * 100).toFixed(2)}%`

/** A picture of the list below it. */
function Line({ entries, scale, originUs }: LineProps) {
  const earliest = entries.find(({ us }) => us !== null)?.us ?? originUs
  return (
    <div className={styles.line}>
      <svg aria-hidden="true" width="100%" height="56">
        <line x1="0" x2="100%" y1="28" y2="28" />
        {ticksBefore(scale, originUs - earliest).map(({ at, text }) => (
          <g key={text}>
            <line x1={percent(at)} x2={percent(at)} y1="24" y2="32" />
            <text className={styles.faint} x={percent(at)} y="52" textAnchor="middle">
              {text}
            </text>
          </g>
        ))}
        <text className={styles.faint} x="100%" y="52" textAnchor="end">
          {formatClock(originUs / 1000)}
        </text>
        {marksBefore(entries, scale).map((mark) => (
          <MarkOnLine key={mark.entries[0]?.key} {...mark} />
        ))}
      </svg>
    </div>
  )
}

function MarkOnLine({ at, entries, label }: ReturnType<typeof marksBefore>[number]) {
  const [entry] = entries
  if (entry === undefined) return null
  // At the ends of the line a mark would be cut.
  const anchor = at < 0.06 ? 'start' : at > 0.94 ? 'end' : 'middle'
  const offset = anchor === 'start' ? 0 : anchor === 'end' ? -14 : -7
  return (
    <svg
      className="toned"
      data-tone={toneOf(entry)}
      data-kind={entry.kind}
      aria-hidden="true"
      x={percent(at)}
      y="0"
      overflow="visible"
    >
      <g transform={`translate(${offset} 21)`}>
        <rect className={styles.back} width="14" height="14" />
        <g transform="translate(1 1)">
          <Glyph name={entryGlyph(entry)} />
        </g>
      </g>
      {(label !== null || entries.length > 1) && (
        <text className={styles.label} y="12" textAnchor={anchor}>
          {label}
          {entries.length > 1 && ` ×${formatCount(entries.length)}`}
        </text>
      )}
    </svg>
  )
}
