'use client'

import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { splitQuery } from '../../lib/filter/tokens'
import { formatCount } from '../../lib/format'
import { ConnectionBanner } from './board'
import board from './board.module.css'
import { client } from './client'
import { useNow } from './clock'
import type { Facet } from './facets'
import { type KeyHelp, useKeyHelp } from './keys'
import { ListBar, shownText } from './list-bar'
import type { Narrow } from './list-table'
import styles from './live-list.module.css'
import type { MenuAction } from './more-menu'
import { printable } from './printable'
import { oldParameters, projectScope, withoutTerm } from './query-terms'
import { formatShortSecond } from './times'
import { TopBar } from './top-bar'
import { UnknownParameters } from './unknown-parameter-notes'
import { type ListSource, type LiveList as LiveListData, useLiveList } from './use-live-list'
import { NO_PARAMS } from './use-query'
import { isReadingList, ROW_LINK, useReturnToRow, useRowKeys } from './use-rows'
import { useStatus } from './use-status'

interface LiveListProps<Row> {
  readonly title: string
  readonly noun: string
  readonly source: ListSource<Row>
  /** Facets before those of the list. */
  readonly facets?: readonly Facet[]
  readonly filterHint: string
  /** Parameters of the page's address that are not filters; the same array each time. */
  readonly ownParams?: readonly string[]
  /** Links to related lists, below the title. */
  readonly tabs?: ReactNode
  /** Further actions of the list's menu. */
  readonly actions?: readonly MenuAction[]
  /** Keys that the board adds to those of a list; the same array each time. */
  readonly moreKeys?: readonly KeyHelp[]
  /** Shown while the server holds no rows at all. */
  readonly empty: ReactNode
  readonly table: (rows: readonly Row[], narrow: Narrow) => ReactNode
  /** The order of the rows, as part of the scope. */
  readonly order?: string
  /** After the last row, in place of “All … are shown.” */
  readonly endNote?: ReactNode
}

const HELP: readonly KeyHelp[] = [
  { keys: ['j', '↓'], does: 'next row' },
  { keys: ['k', '↑'], does: 'previous row' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['n'], does: 'show new rows' },
  { keys: ['p'], does: 'pause this list, or resume' },
  { keys: ['/'], does: 'filter by text or key:value' },
  { keys: ['↓'], does: 'in the field: complete a key or a value' },
  { keys: ['click'], does: 'on a value marked “Only where …”: filter by it; with Alt: leave it out' },
  { keys: ['Esc'], does: 'clear the field; leave the list, and new rows appear automatically again' },
]

const NO_FACETS: readonly Facet[] = []
const NO_KEYS: readonly KeyHelp[] = []

/** A list that follows the live stream: bar, connection state, table, end of the list. */
export function LiveList<Row>({
  title,
  noun,
  source,
  facets = NO_FACETS,
  ownParams = NO_PARAMS,
  moreKeys = NO_KEYS,
  ...props
}: LiveListProps<Row>) {
  const container = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const live = useLiveList(source, isReadingList(container), ownParams)
  const { querying, list, failure, shownQuery } = live
  const known = useMemo(() => ['q', ...ownParams, ...oldParameters(source.list)], [source.list, ownParams])
  useKeyHelp(useMemo(() => [...HELP, ...moreKeys], [moreKeys]))
  const reveal = (): boolean => {
    if (live.newRows === 0) return false
    live.reveal()
    window.scrollTo({ top: 0 })
    return true
  }
  useRowKeys(container, {
    n: reveal,
    p: () => {
      live.pause(!live.isPaused)
      return true
    },
    '/': () => {
      field.current?.focus()
      field.current?.select()
      return true
    },
  })
  const loaded = list.rows.length
  const isFiltered = shownQuery !== ''
  const isEmpty = list.loaded && loaded === 0 && list.next === null
  useReturnToRow(container, { loaded, older: list.next !== null, busy: live.loadingOlder, loadOlder: live.loadOlder })
  const focusNextRow = useFocusNextRow(container, loaded)
  return (
    <>
      <TopBar
        title={title}
        live={live}
        scope={
          live.isPaused ? (
            `paused, ${formatCount(live.newRows)} new ${live.newRows === 1 ? 'waits' : 'wait'}`
          ) : (
            <Scope query={shownQuery} order={props.order} oldest={live.leftOut?.oldest ?? null} />
          )
        }
      />
      {props.tabs}
      <div className={styles.board}>
        <ListBar
          noun={noun}
          hint={props.filterHint}
          live={live}
          facets={facets}
          field={field}
          actions={props.actions}
          onReveal={reveal}
        />
        <UnknownParameters page={title} known={known} />
        <ConnectionBanner {...live} />
        <div ref={container} className={styles.rows} aria-busy={live.busy}>
          {isEmpty && (!isFiltered || live.isEmptyStore) && props.empty}
          {isEmpty && isFiltered && !live.isEmptyStore && <NoMatch noun={noun} live={live} />}
          {loaded > 0 && props.table(list.rows, querying.narrow)}
          {!list.loaded && failure === null && <p className={styles.note}>Loading …</p>}
        </div>
        <ListEnd
          noun={noun}
          live={live}
          isFiltered={isFiltered}
          note={props.endNote}
          onOlder={() => {
            focusNextRow()
            live.loadOlder()
          }}
        />
      </div>
    </>
  )
}

interface ScopeProps {
  readonly query: string
  readonly order: string | undefined
  /** Receipt of the oldest stored record; `null` when it is unknown. */
  readonly oldest: number | null
}

/** The projects, the order and the span of time of a list; of a saved run also its name. */
function Scope({ query, order = 'newest first', oldest }: ScopeProps) {
  const nowMs = useNow()
  const run = useStatus()?.status.run ?? null
  const since = oldest === null ? [] : [`received since ${formatShortSecond(oldest, nowMs)}`]
  const parts = [...(run === null ? [] : [`run ${run}`]), projectScope(query), order, ...since]
  return printable(parts.join(', '))
}

interface NoMatchProps {
  readonly noun: string
  readonly live: Pick<LiveListData<unknown>, 'shownQuery' | 'querying' | 'leftOut'>
}

/** Counts what the query hides, and offers to remove its terms one by one. */
function NoMatch({ noun, live: { shownQuery, querying, leftOut } }: NoMatchProps) {
  const terms = [...new Set(splitQuery(shownQuery).map(({ source }) => source))]
  return (
    <div className={board.none} data-no-match>
      <h2>No {noun} match</h2>
      <p>{shownText(0, leftOut)}.</p>
      <p className="row">
        {terms.length > 1 &&
          terms.map((term) => (
            <button
              key={term}
              type="button"
              className="button"
              onClick={() => querying.change(withoutTerm(shownQuery, term), 'step')}
            >
              Clear <bdi className="mono">{printable(term)}</bdi>
            </button>
          ))}
        <button type="button" className="button" onClick={() => querying.change('', 'step')}>
          {terms.length > 1 ? 'Clear all filters' : 'Clear the filter'}
        </button>
      </p>
      <p className="faint">New matches appear here automatically.</p>
    </div>
  )
}

interface ListEndProps {
  readonly noun: string
  readonly live: Pick<LiveListData<unknown>, 'list' | 'searchedBackTo' | 'loadingOlder' | 'olderFailure' | 'leftOut'>
  readonly isFiltered: boolean
  readonly note: ReactNode
  readonly onOlder: () => void
}

function ListEnd({ noun, live, isFiltered, note, onOlder }: ListEndProps) {
  const { list, loadingOlder, olderFailure } = live
  const searchedToMs = useFactTime(live.searchedBackTo)
  const nowMs = useNow()
  if (!list.loaded) return null
  if (list.next === null) {
    if (list.rows.length === 0) return null
    return (
      <p className={styles.note}>
        {note || `All ${isFiltered ? 'matching ' : ''}${noun} are shown.`}{' '}
        <Evicted leftOut={live.leftOut} nowMs={nowMs} />
      </p>
    )
  }
  const endedEarly = live.searchedBackTo !== null
  const label = endedEarly ? 'Search further back' : 'Load older'
  return (
    <div className={styles.older}>
      {endedEarly && (
        <p className={styles.searched} role="status">
          {searchedToMs === null
            ? 'Searched part of the list'
            : `Searched back to ${formatShortSecond(searchedToMs, nowMs)}`}
          {list.rows.length === 0 && ', no match yet'}.
        </p>
      )}
      <button type="button" className="button" onClick={onOlder} disabled={loadingOlder}>
        {loadingOlder ? (endedEarly ? 'Searching …' : 'Loading …') : label}
      </button>
      {olderFailure !== null && (
        <span className="small">Older rows could not be loaded. Try again when the collector is reachable.</span>
      )}
    </div>
  )
}

/** Records that were deleted for disk space or age: their rows are not the same as rows that never were. */
function Evicted({ leftOut, nowMs }: { readonly leftOut: LiveListData<unknown>['leftOut']; readonly nowMs: number }) {
  if (leftOut === null || leftOut.evicted === 0 || leftOut.oldest === null) return null
  return (
    <span data-evicted={leftOut.evicted}>
      Older records were evicted ({formatCount(leftOut.evicted)}); the oldest is of{' '}
      {formatShortSecond(leftOut.oldest, nowMs)}. <a href="/storage">Storage</a>
    </span>
  )
}

/** Older rows replace their button: focuses the first of them. Returns a function to call before they are loaded. */
function useFocusNextRow(container: RefObject<HTMLElement | null>, loaded: number): () => void {
  const before = useRef<number | null>(null)
  useEffect(() => {
    const first = before.current
    if (first === null || loaded <= first) return
    before.current = null
    const { activeElement } = document
    // A disabled button loses the focus to the body. Anywhere else, the reader moved the focus meanwhile.
    if (activeElement !== document.body && !(activeElement instanceof HTMLButtonElement)) return
    container.current?.querySelectorAll<HTMLAnchorElement>(ROW_LINK)[first]?.focus({ preventScroll: true })
  }, [container, loaded])
  return () => {
    before.current = loaded
  }
}

/** The time of a journal number, in ms since the epoch; `null` until it is read, and when it is no longer stored. */
function useFactTime(journal: number | null): number | null {
  const [fact, setFact] = useState<{ readonly journal: number; readonly at: number } | null>(null)
  useEffect(() => {
    if (journal === null) return
    const aborter = new AbortController()
    client.fact(journal, aborter.signal).then(
      (read) => {
        if (read !== null && !aborter.signal.aborted) setFact({ journal, at: read.at })
      },
      // The list itself reports an unreachable collector.
      () => null,
    )
    return () => aborter.abort()
  }, [journal])
  return fact !== null && fact.journal === journal ? fact.at : null
}
