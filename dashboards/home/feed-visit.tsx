import { type ComponentProps, memo, type ReactNode, useState } from 'react'
import { formatDurationUs, plural } from '../../lib/format'
import type { Visit, VisitDetail, Visits } from '../../lib/wire/visits'
import { client } from '../ui/client'
import { Age, useIsRecent } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Glyph, type GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { useAnswer } from '../ui/use-answer'
import styles from './feed.module.css'
import { type DetailPage, EventRow, Line, PageRow } from './feed-row'
import {
  type Axis,
  axisOf,
  earlierPagesText,
  errorsText,
  lostText,
  pageKey,
  pageTime,
  pathOf,
  shortVisitId,
  splitPages,
  stripOf,
} from './feed-text'

/** A visit is open while its newest submission is younger than this. */
const OPEN_MS = 30_000
const STRIP_WIDTH = 168
/** The id of the traces without a browser. */
const APART = 'apart'

interface VisitItemProps {
  readonly visit: Visit
  /** Unfolded until the reader folds it. */
  readonly isNewest: boolean
}

/** One visit: its header and, unfolded, what happened in it. */
export const VisitItem = memo(function VisitItem({ visit, isNewest }: VisitItemProps) {
  const { id, browser, sdk, startUs, endUs, errorCount, deliveryStatus, receivedAt, journal } = visit
  const [path, last] = pathOf(visit)
  const lost = lostText(visit.reported)
  return (
    <Folding id={id} state={`${journal} ${deliveryStatus.name}`} isFirstOpen={isNewest} glyph="page" axis={visit}>
      <strong className={styles.visit}>Visit {shortVisitId(id)}</strong>
      <span className={`cut faint ${styles.about}`} title={sdk === null ? undefined : printable(sdk)}>
        {(browser ?? sdk) !== null && (
          <>
            <Received text={browser ?? sdk ?? ''} />,{' '}
          </>
        )}
        {formatDurationUs(endUs - startUs)}
      </span>
      <span className={styles.path}>
        <bdi className={`cut ${styles.before}`}>{path}</bdi>
        <bdi className={`cut ${styles.last}`}>{last}</bdi>
      </span>
      <span className={styles.end}>
        <ErrorCount count={errorCount} />
        {lost !== null && (
          <span className={`toned ${styles.errors}`} data-tone="warn">
            <Glyph name="lost" /> {lost}
          </span>
        )}
        <Ended receivedAt={receivedAt} />
        <DeliveryStatusMark deliveryStatus={deliveryStatus} quiet />
        <PageStrip visit={visit} />
      </span>
    </Folding>
  )
})

/** Traces in which no browser took part, such as webhooks and jobs. */
export const ApartItem = memo(function ApartItem({ apart, isFirstOpen }: ApartItemProps) {
  const { traceCount, errorCount, newest } = apart
  return (
    <Folding id={APART} state={String(newest)} isFirstOpen={isFirstOpen} glyph="server" axis={null}>
      <strong className={styles.visit}>Without a page visit</strong>
      <span className="cut faint">traces without a browser</span>
      <span className={styles.end}>
        <span>{plural(traceCount, 'trace')}</span>
        <ErrorCount count={errorCount} />
      </span>
    </Folding>
  )
})

interface ApartItemProps {
  readonly apart: Visits['apart']
  readonly isFirstOpen: boolean
}

const ErrorCount = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <span className={`toned ${styles.errors}`} data-tone="bad">
      <Glyph name="error" /> {errorsText(count)}
    </span>
  )

function Ended({ receivedAt }: Pick<Visit, 'receivedAt'>) {
  if (useIsRecent(receivedAt, OPEN_MS))
    return (
      <span className={`toned ${styles.open}`} data-tone="good">
        open now
      </span>
    )
  return (
    <span className={styles.ended}>
      <span>ended</span> <Age atMs={receivedAt} ago />
    </span>
  )
}

function PageStrip({ visit }: Pick<VisitItemProps, 'visit'>) {
  const { pages, errors } = stripOf(visit, STRIP_WIDTH)
  return (
    <svg className={styles.strip} aria-hidden="true" viewBox={`0 0 ${STRIP_WIDTH} 10`}>
      {pages.map(({ key, x, width }) => (
        <rect key={key} x={x} y="2" width={width} height="6" rx="1.5" />
      ))}
      {errors.map((x) => (
        <rect key={x} className={styles.failed} x={x} y="0" width="2" height="10" />
      ))}
    </svg>
  )
}

interface FoldingProps {
  readonly id: string
  /** Changes when the detail is to be read again. */
  readonly state: string
  readonly isFirstOpen: boolean
  readonly glyph: GlyphName
  /** Of folded pages; `null` for the time of all of them. */
  readonly axis: Axis | null
  readonly children: ReactNode
}

/** The reader's choices in this document: after Back each fold is as they left it. */
const chosenFolds = new Map<string, boolean>()

function useFold(key: string, isFirstOpen: boolean): readonly [boolean, (isOpen: boolean) => void] {
  const [chosen, setChosen] = useState(() => chosenFolds.get(key) ?? null)
  const choose = (isOpen: boolean): void => {
    chosenFolds.set(key, isOpen)
    setChosen(isOpen)
  }
  return [chosen ?? isFirstOpen, choose]
}

function Folding({ id, state, isFirstOpen, glyph, axis, children }: FoldingProps) {
  const [isOpen, setOpen] = useFold(id, isFirstOpen)
  return (
    <li className={styles.item} data-visit={id} data-open={isOpen}>
      <h3>
        <Fold className={styles.header} isOpen={isOpen} onFold={setOpen} data-feed-row>
          <Glyph name={glyph} />
          {children}
        </Fold>
      </h3>
      {isOpen && <Detail id={id} state={state} axis={axis} />}
    </li>
  )
}

interface FoldProps extends ComponentProps<'button'> {
  readonly isOpen: boolean
  readonly onFold: (isOpen: boolean) => void
}

const Fold = ({ isOpen, onFold, children, ...button }: FoldProps) => (
  <button type="button" {...button} aria-expanded={isOpen} onClick={() => onFold(!isOpen)}>
    <Glyph name={isOpen ? 'older' : 'next'} />
    {children}
  </button>
)

function Detail({ id, state, axis }: Pick<FoldingProps, 'id' | 'state' | 'axis'>) {
  const { answer, failure } = useAnswer(id, (signal) => client.visit(id, signal), state)
  if (failure !== null) return <p className={styles.note}>What happened in it could not be read.</p>
  if (answer === undefined) return <p className={styles.note}>Loading …</p>
  if (answer === null) return <p className={styles.note}>It is older than an hour, or no longer stored.</p>
  return <Pages id={id} detail={answer} axis={axis} />
}

interface PagesProps {
  readonly id: string
  readonly detail: VisitDetail
  readonly axis: Axis | null
}

function Pages({ id, detail, axis }: PagesProps) {
  const isApart = id === APART
  const { pages, pageCount, rest } = detail
  const [showsEarlier, setShowsEarlier] = useFold(`${id} earlier`, false)
  const whole = axis ?? {
    startUs: Math.min(...pages.map(({ startUs }) => startUs)),
    endUs: Math.max(...pages.map(({ endUs }) => endUs)),
  }
  const { earlier, newest } = isApart ? { earlier: [], newest: undefined } : splitPages(pages)
  const [first] = earlier
  const shownCount = pages.reduce((sum, { count }) => sum + count, 0)
  const listed = isApart ? pages.toReversed() : showsEarlier ? earlier : []
  return (
    <ul className={styles.rows}>
      {first !== undefined && (
        <li className={styles.row}>
          <span className={styles.time}>{pageTime(first.startUs)}</span>
          <span className={styles.name} data-depth="0">
            <Fold className={styles.more} isOpen={showsEarlier} onFold={setShowsEarlier} data-feed-row>
              <span className="cut">{earlierPagesText(earlier, pageCount - 1)}</span>
            </Fold>
          </span>
          <Line axis={whole} bars={earlier.map((page) => ({ ...page, key: pageKey(page) }))} />
        </li>
      )}
      {listed.map((page) => (
        <Page key={pageKey(page)} page={page} whole={whole} isFirstOpen={false} />
      ))}
      {newest !== undefined && <Page key={pageKey(newest)} page={newest} whole={whole} isFirstOpen={true} />}
      {isApart && pageCount > shownCount && (
        <li className={styles.note}>
          The newest {shownCount} of {plural(pageCount, 'trace')}. <a href="/traces">All traces</a>
        </li>
      )}
      {(isApart ? rest.toReversed() : rest).map((row) => (
        <EventRow key={row.key} row={row} page={null} axis={axisOf(whole, rest)} />
      ))}
    </ul>
  )
}

interface PageProps {
  readonly page: DetailPage
  /** The axis of a folded page. */
  readonly whole: Axis
  readonly isFirstOpen: boolean
}

function Page({ page, whole, isFirstOpen }: PageProps) {
  const [isOpen, setOpen] = useFold(pageKey(page), isFirstOpen)
  const hasRows = page.rows.length > 0
  const axis = isOpen ? axisOf(page, page.rows) : whole
  const href = `/traces/${encodeURIComponent(page.traceId)}`
  return (
    <>
      <li className={styles.row} data-kind="page">
        <PageRow
          page={page}
          axis={axis}
          fold={
            <Fold
              className={styles.fold}
              isOpen={isOpen && hasRows}
              onFold={setOpen}
              aria-label="What happened on this page"
              disabled={!hasRows}
            />
          }
        />
      </li>
      {isOpen && page.rows.map((row) => <EventRow key={row.key} row={row} page={page} axis={axis} />)}
      {isOpen && (page.hiddenRows > 0 || page.isPart) && (
        <li className={styles.note}>
          {page.isPart ? 'There may be more requests' : plural(page.hiddenRows, 'more row')} of this page:{' '}
          <a href={href}>the trace</a> has all of them.
        </li>
      )}
    </>
  )
}
