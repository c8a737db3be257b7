'use client'

import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { type KeyHelp, KeySheet } from '../../keys/key-sheet'
import { ROW_LINK, useRowKeys } from '../../keys/use-row-keys'
import { formatCount } from '../../words/quantities'
import { SEARCH_AT_ONCE, searchOlder } from '../arrange/search-older'
import type { LiveListState } from '../load/use-live-list'
import { ConnectionBanner, ConnectionState } from './connection-state'
import styles from './live-list-frame.module.css'
import { SearchNote } from './search-note'
import { useReturnToRow } from './use-return-to-row'

interface LiveListFrameProps<Row> {
  readonly title: string
  readonly noun: string
  readonly state: LiveListState<Row>
  /** Of the rows that pass the filter. */
  readonly shown: number
  readonly waiting: number
  readonly filter: string
  readonly onFilter: (text: string | null) => void
  readonly filterHint: string
  readonly tools?: ReactNode
  readonly empty: ReactNode
  readonly container: RefObject<HTMLDivElement | null>
  readonly children: ReactNode
}

const HELP: readonly KeyHelp[] = [
  { keys: ['j', '↓'], does: 'next row' },
  { keys: ['k', '↑'], does: 'previous row' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['n'], does: 'show new rows' },
  { keys: ['/'], does: 'filter' },
  { keys: ['Esc'], does: 'leave the list; new rows appear by themselves again' },
]

/** What every live list has around its table: state, filter, the pill for new rows, the way to older ones. */
export function LiveListFrame<Row>(props: LiveListFrameProps<Row>) {
  const { state, shown, waiting, container } = props
  const { list } = state
  const filterField = useRef<HTMLInputElement>(null)
  const reveal = (): boolean => {
    if (list.waiting.length === 0) return false
    state.reveal()
    window.scrollTo({ top: 0 })
    return true
  }
  useRowKeys(container, {
    n: reveal,
    '/': () => {
      filterField.current?.focus()
      return true
    },
  })
  const [limit, setLimit] = useState(SEARCH_AT_ONCE)
  const older = list.next !== null
  const loaded = list.rows.length
  const search = searchOlder({ loaded, shown, older, limit, failed: state.olderFailure !== null })
  const searching = search === 'search'
  const searchOn = useEffectEvent(() => state.loadOlder())
  useEffect(() => {
    if (searching && !state.loadingOlder) searchOn()
  }, [searching, state.loadingOlder])
  useReturnToRow(container, { loaded, older, busy: state.loadingOlder, loadOlder: state.loadOlder })
  const focusNew = useFocusNewRow(container, shown)
  const askOlder = (): void => {
    focusNew()
    setLimit(loaded + SEARCH_AT_ONCE)
    state.loadOlder()
  }
  return (
    <div className={styles.board}>
      <div className={styles.bar}>
        <h1>{props.title}</h1>
        <ConnectionState connection={state.connection} failure={state.failure} />
        <div className={styles.tools}>
          {props.tools}
          <input
            ref={filterField}
            className={`field ${styles.filter}`}
            type="search"
            aria-label={`Filter ${props.noun}`}
            placeholder={props.filterHint}
            value={props.filter}
            onChange={(event) => props.onFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
          <KeySheet help={HELP} />
        </div>
      </div>
      <ConnectionBanner connection={state.connection} failure={state.failure} />
      <div className={styles.pillPlace} aria-live="polite">
        {waiting > 0 && (
          <button type="button" className={styles.pill} onClick={reveal}>
            ↑ {list.gap === null ? formatCount(waiting) : `more than ${formatCount(waiting)}`} new
          </button>
        )}
      </div>
      <div ref={container}>
        {list.loaded && list.rows.length === 0 ? props.empty : props.children}
        {!list.loaded && state.failure === null && <p className={styles.note}>Reading …</p>}
        {search !== 'all' && (
          <SearchNote
            noun={props.noun}
            search={search}
            shown={shown}
            loaded={loaded}
            onClear={() => props.onFilter(null)}
          />
        )}
      </div>
      {older && (
        <div className={styles.older}>
          <button type="button" className="button" onClick={askOlder} disabled={searching || state.loadingOlder}>
            {olderWord(search !== 'all', searching || state.loadingOlder)}
          </button>
          {state.olderFailure !== null && (
            <span className="small">The older ones could not be read. Try again when the collector is back.</span>
          )}
        </div>
      )}
      {list.loaded && !older && loaded > 0 && search === 'all' && (
        <p className={styles.note}>These are all {props.noun} kept here.</p>
      )}
    </div>
  )
}

function olderWord(filtered: boolean, busy: boolean): string {
  if (filtered) return busy ? 'Searching …' : 'Search older'
  return busy ? 'Loading …' : 'Load older'
}

/** Older rows come where the button was: the focus goes on to the first of them. Returns what to call before they are asked for. */
function useFocusNewRow(container: RefObject<HTMLElement | null>, shown: number): () => void {
  const before = useRef<number | null>(null)
  useEffect(() => {
    const first = before.current
    if (first === null || shown <= first) return
    before.current = null
    const { activeElement } = document
    // A disabled button loses the focus to the body; a reader who went elsewhere meanwhile stays there.
    if (activeElement !== document.body && !(activeElement instanceof HTMLButtonElement)) return
    container.current?.querySelectorAll<HTMLAnchorElement>(ROW_LINK)[first]?.focus({ preventScroll: true })
  }, [container, shown])
  return () => {
    before.current = shown
  }
}
