import { memo, type ReactNode } from 'react'
import { formatDurationUs } from '../../lib/format'
import { isChosen } from '../../lib/protocol/outcome'
import type { VisitDetail, VisitRow } from '../../lib/wire/visits'
import { levelTone } from '../signals/signal-columns'
import { DeliveryStatusMark, Mark } from '../ui/delivery-status-mark'
import { Glyph, type GlyphName } from '../ui/glyph'
import { seriesOf } from '../ui/labels'
import { spanHref } from '../ui/links'
import { printable } from '../ui/printable'
import styles from './feed.module.css'
import { type Axis, pageTime, percentOf, repeatedText, rowDuration, rowTags, rowText, rowTime } from './feed-text'

export type DetailPage = VisitDetail['pages'][number]

/** A bar is at least this wide, in per cent of its axis. */
const LEAST_BAR = 0.4

interface LineProps {
  readonly axis: Axis
  readonly bars: readonly {
    readonly key: string
    readonly startUs: number
    readonly endUs: number
    readonly service: string
    /** Stands for several. */
    readonly isGroup?: boolean
  }[]
  readonly children?: ReactNode
}

/** The line of a row: bars at their times. The text of the row says the same. */
export function Line({ axis, bars, children }: LineProps) {
  return (
    <svg className={styles.line} aria-hidden="true" width="100%" height="12">
      <rect className={styles.base} y="6" width="100%" height="1" />
      {bars.map(({ key, startUs, endUs, service, isGroup }) => {
        const width = Math.max(LEAST_BAR, percentOf(axis, endUs) - percentOf(axis, startUs))
        const x = Math.min(percentOf(axis, startUs), 100 - width)
        return (
          <rect
            key={key}
            className={styles.bar}
            data-series={seriesOf(service)}
            data-group={isGroup}
            x={`${x}%`}
            y="1"
            width={`${width}%`}
            height="10"
            rx="2"
          />
        )
      })}
      {children}
    </svg>
  )
}

interface PageRowProps {
  readonly page: DetailPage
  readonly axis: Axis
  readonly fold: ReactNode
}

/** A page load or navigation; outside visits, the first segment of a trace. */
export function PageRow({ page, axis, fold }: PageRowProps) {
  const href = spanHref(page.traceId, page.segmentId)
  return (
    <>
      <span className={styles.time}>{pageTime(page.startUs)}</span>
      <span className={styles.name} data-depth="0">
        {fold}
        <NameLink href={href}>
          <span className="square" data-series={seriesOf(page.service)} />
          <Op op={page.op} />
          <bdi className={`cut ${styles.page}`}>{repeatedText(page)}</bdi>
        </NameLink>
        {page.failed && <Tag tone="bad">failed</Tag>}
      </span>
      <Line axis={axis} bars={[{ ...page, key: 'page', isGroup: page.count > 1 }]} />
      <span className={styles.duration}>{formatDurationUs(page.endUs - page.startUs)}</span>
      <span className={`cut ${styles.delivery}`}>
        <DeliveryStatusMark deliveryStatus={page.deliveryStatus} quiet />
      </span>
    </>
  )
}

const GLYPH_OF: Readonly<Partial<Record<VisitRow['kind'], GlyphName>>> = {
  server: 'server',
  log: 'log',
  error: 'error',
  lost: 'lost',
}

interface EventRowProps {
  readonly row: VisitRow
  /** From which its time counts; `null` for what belongs to no page. */
  readonly page: Axis | null
  readonly axis: Axis
}

/** A request, segment, log, error or loss. */
export const EventRow = memo(
  function EventRow({ row, page, axis }: EventRowProps) {
    const { kind, service, deliveryStatus, startUs, endUs } = row
    const glyph = GLYPH_OF[kind]
    const isMoment = kind === 'log' || kind === 'error'
    return (
      <li className={styles.row} data-kind={kind} data-tone={toneOf(row)}>
        <span className={styles.time}>{rowTime(startUs, page)}</span>
        <span className={`${styles.name} ${kind === 'lost' ? styles.wide : ''}`} data-depth={Math.min(4, row.depth)}>
          <NameLink href={hrefOf(row)}>
            {glyph !== undefined && <Glyph name={glyph} />}
            {!isMoment && kind !== 'lost' && (
              <>
                <span className="square" data-series={seriesOf(service ?? '')} />
                <Op op={row.op} />
              </>
            )}
            <bdi className="cut">{rowText(row)}</bdi>
          </NameLink>
          {rowTags(row).map(({ text, tone }) => (
            <Tag key={text} tone={tone}>
              {text}
            </Tag>
          ))}
        </span>
        {kind !== 'lost' && (
          <>
            <Line axis={axis} bars={isMoment || startUs === null ? [] : [barOf(row, startUs)]}>
              {isMoment && startUs !== null && (
                <svg className={styles.moment} x={`${percentOf(axis, endUs ?? startUs)}%`} y="0" aria-hidden="true">
                  {kind === 'error' ? <path d="M-4 2 4 10M4 2-4 10" /> : <path d="M0 1V11" />}
                </svg>
              )}
            </Line>
            <span className={styles.duration}>{rowDuration(row)}</span>
          </>
        )}
        <span className={`cut ${styles.delivery}`}>
          {deliveryStatus !== null && <DeliveryStatusMark deliveryStatus={deliveryStatus} quiet />}
          {kind === 'lost' &&
            (isChosen(row.name) ? (
              <Mark glyph="filtered" tone="quiet">
                by choice
              </Mark>
            ) : (
              <Mark glyph="lost" tone="warn">
                lost
              </Mark>
            ))}
        </span>
      </li>
    )
  },
  // Each answer has new objects; a page has at most 50 rows.
  (before, next) => JSON.stringify(before) === JSON.stringify(next),
)

const barOf = ({ endUs, service, count }: VisitRow, startUs: number) => ({
  ...{ key: 'row', startUs, endUs: endUs ?? startUs },
  ...{ service: service ?? '', isGroup: count > 1 },
})

function toneOf({ kind, level, name }: VisitRow): 'bad' | 'warn' | 'quiet' {
  if (kind === 'error') return 'bad'
  if (kind === 'lost') return isChosen(name) ? 'quiet' : 'warn'
  return kind === 'log' ? levelTone(level) : 'quiet'
}

function hrefOf({ kind, eventId, traceId, spanId }: VisitRow): string | null {
  if (kind === 'lost') return '/losses'
  if (kind === 'error' && eventId !== null) return `/events/${encodeURIComponent(eventId)}`
  return traceId === null ? null : spanHref(traceId, spanId)
}

function NameLink({ href, children }: { readonly href: string | null; readonly children: ReactNode }) {
  if (href === null) return <span className={styles.link}>{children}</span>
  return (
    <a className={styles.link} href={href} data-feed-row>
      {children}
    </a>
  )
}

const Op = ({ op }: { readonly op: string | null }) =>
  op !== null && <bdi className={`cut ${styles.op}`}>{printable(op)}</bdi>

const Tag = ({ tone, children }: { readonly tone: 'bad' | 'quiet'; readonly children: ReactNode }) => (
  <span className={`toned ${styles.tag}`} data-tone={tone}>
    {children}
  </span>
)
