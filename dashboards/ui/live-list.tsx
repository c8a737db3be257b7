'use client'

import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { formatCount } from '../../lib/format'
import { ConnectionBanner } from './board'
import board from './board.module.css'
import type { Choice, SeenValues } from './choices'
import { client } from './client'
import { useNow } from './clock'
import { type BoardList, filterNames } from './filter-address'
import { FilterBar } from './filter-bar'
import { FilterSuggestion } from './filter-notes'
import { type RefusedFilter, refusedFilter } from './filter-problems'
import { filterTexts, stillShowing } from './filter-text'
import { type KeyHelp, useKeyHelp } from './keys'
import type { Narrow } from './list-table'
import styles from './live-list.module.css'
import { formatShortSecond } from './times'
import { TopBar } from './top-bar'
import { isWholeId } from './typed-id'
import type { Filtering } from './use-filter'
import { type ListSource, type LiveList as LiveListData, useLiveList } from './use-live-list'
import { isReadingList, ROW_LINK, useReturnToRow, useRowKeys } from './use-rows'

interface LiveListProps<Row> {
  readonly title: string
  readonly noun: string
  readonly source: ListSource<Row>
  readonly choices: (seen: SeenValues) => readonly Choice[]
  readonly filterHint: string
  /** Parameters of the page's address that are not filters; the same array each time. */
  readonly ownParams?: readonly string[]
  /** Links to related lists, below the title. */
  readonly tabs?: ReactNode
  /** Shown while the server holds no rows at all. */
  readonly empty: ReactNode
  readonly table: (rows: readonly Row[], narrow: Narrow) => ReactNode
}

const HELP: readonly KeyHelp[] = [
  { keys: ['j', '↓'], does: 'next row' },
  { keys: ['k', '↑'], does: 'previous row' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['n'], does: 'show new rows' },
  { keys: ['/'], does: 'filter by text or name:value' },
  { keys: ['⌫'], does: 'in the empty field: edit the last filter' },
  { keys: ['click'], does: 'on a value marked “Only where …”: filter by it' },
  { keys: ['Esc'], does: 'clear the field; leave the list, and new rows appear automatically again' },
]

/** A list that follows the live stream: filter bar, connection state, table, button for new rows, end of the list. */
export function LiveList<Row>({ title, noun, source, ...props }: LiveListProps<Row>) {
  const container = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const live = useLiveList(source, isReadingList(container), props.ownParams)
  const { filtering, list, shownFilter, failure } = live
  const refused = live.refusal === null ? null : refusedFilter(source.list, live.refusal)
  useKeyHelp(HELP)
  const nowMs = useNow()
  const still = refused !== null && list.loaded ? stillShowing(noun, source.list, shownFilter, nowMs) : null
  const reveal = (): boolean => {
    if (live.newRows === 0) return false
    live.reveal()
    window.scrollTo({ top: 0 })
    return true
  }
  useRowKeys(container, {
    n: reveal,
    '/': () => {
      field.current?.focus()
      field.current?.select()
      return true
    },
  })
  const loaded = list.rows.length
  const isFiltered = Object.keys(shownFilter).length > 0
  const isEmpty = list.loaded && loaded === 0 && list.next === null
  useReturnToRow(container, { loaded, older: list.next !== null, busy: live.loadingOlder, loadOlder: live.loadOlder })
  const focusNextRow = useFocusNextRow(container, loaded)
  return (
    <>
      <TopBar title={title} live={live} />
      {props.tabs}
      <div className={styles.board}>
        <FilterBar
          noun={noun}
          filtering={filtering}
          choices={props.choices(live.seen)}
          hint={props.filterHint}
          refused={refused}
          still={still}
          traceIds={live.traceIds}
          field={field}
        />
        <ConnectionBanner {...live} />
        <div className={styles.pillPlace} aria-live="polite">
          {live.newRows > 0 && (
            <button type="button" className={styles.pill} onClick={reveal}>
              ↑ {list.gap !== null && 'more than '}
              {formatCount(live.newRows)} new
            </button>
          )}
        </div>
        <div ref={container} className={styles.rows} aria-busy={live.busy}>
          {isEmpty && (!isFiltered || live.isEmptyStore) && props.empty}
          {/* For a whole id, the filter bar offers the link instead. */}
          {isEmpty && isFiltered && !live.isEmptyStore && !isWholeId(shownFilter.text) && (
            <NoMatch noun={noun} list={source.list} live={live} />
          )}
          {loaded > 0 && props.table(list.rows, filtering.narrow)}
          {!list.loaded && refused !== null && <NotLoaded noun={noun} filtering={filtering} refused={refused} />}
          {!list.loaded && failure === null && refused === null && <p className={styles.note}>Loading …</p>}
        </div>
        <ListEnd
          noun={noun}
          live={live}
          isFiltered={isFiltered}
          still={still}
          onOlder={() => {
            focusNextRow()
            live.loadOlder()
          }}
        />
      </div>
    </>
  )
}

interface NoMatchProps {
  readonly noun: string
  readonly list: BoardList
  readonly live: Pick<LiveListData<unknown>, 'shownFilter' | 'filtering'>
}

function NoMatch({ noun, list, live }: NoMatchProps) {
  const parts = filterTexts(filterNames(list), live.shownFilter, useNow())
  return (
    <div className={board.none} data-no-match>
      <h2>No {noun} match</h2>
      <p>{parts.length > 1 ? 'Active filters:' : 'Active filter:'}</p>
      <ul>
        {parts.map(({ name, text }) => (
          <li key={name}>
            <bdi>{name === 'text' ? `words beginning with ${text}` : text}</bdi>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" className="button" onClick={live.filtering.clear}>
          {parts.length > 1 ? 'Clear all filters' : 'Clear the filter'}
        </button>
      </p>
      <p className="faint">New matches appear here automatically.</p>
    </div>
  )
}

interface NotLoadedProps {
  readonly noun: string
  readonly filtering: Filtering
  readonly refused: RefusedFilter
}

function NotLoaded({ noun, filtering, refused }: NotLoadedProps) {
  return (
    <div className={board.none} data-not-loaded>
      <h2>No {noun} loaded</h2>
      <p>
        The server refused part of the filter in this address; the line above says why. Correct it to load the list.
      </p>
      <p>
        <FilterSuggestion refused={refused} filtering={filtering} />{' '}
        <button type="button" className="button" onClick={filtering.clear}>
          Clear the filter
        </button>
      </p>
    </div>
  )
}

interface ListEndProps {
  readonly noun: string
  readonly live: Pick<LiveListData<unknown>, 'list' | 'searchedBackTo' | 'loadingOlder' | 'olderFailure'>
  readonly isFiltered: boolean
  readonly still: string | null
  readonly onOlder: () => void
}

function ListEnd({ noun, live, isFiltered, still, onOlder }: ListEndProps) {
  const { list, loadingOlder, olderFailure } = live
  const searchedToMs = useFactTime(live.searchedBackTo)
  const nowMs = useNow()
  if (!list.loaded) return null
  if (list.next === null) {
    if (list.rows.length === 0) return null
    return <p className={styles.note}>{still ?? `All ${isFiltered ? 'matching ' : ''}${noun} are shown.`}</p>
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
