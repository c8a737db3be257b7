'use client'

import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { formatCount } from '../../lib/format'
import { ConnectionBanner, ConnectionState } from './board'
import type { Choice } from './choices'
import { useNow } from './clock'
import { FilterBar } from './filter-bar'
import { readWrong } from './filter-problems'
import { stillShowing } from './filter-text'
import { type KeyHelp, KeySheet } from './keys'
import { ListEnd } from './list-end'
import styles from './live-list.module.css'
import { NoMatch } from './no-match'
import { NotAsked } from './not-asked'
import { isWholeId } from './typed-id'
import type { Filtering } from './use-filter'
import type { LiveListState } from './use-live-list'
import { ROW_LINK, useReturnToRow, useRowKeys } from './use-rows'
import { useSeenTraces } from './use-seen-traces'

interface LiveListFrameProps<Row> {
  readonly title: string
  readonly noun: string
  readonly state: LiveListState<Row>
  readonly filtering: Filtering
  readonly choices: readonly Choice[]
  readonly filterHint: string
  /** Shown while nothing is kept at all. */
  readonly empty: ReactNode
  /** The trace that a row speaks of. */
  readonly traceOf: (row: Row) => string | null
  readonly container: RefObject<HTMLDivElement | null>
  readonly children: ReactNode
}

const HELP: readonly KeyHelp[] = [
  { keys: ['j', '↓'], does: 'next row' },
  { keys: ['k', '↑'], does: 'previous row' },
  { keys: ['Enter'], does: 'open the row' },
  { keys: ['n'], does: 'show new rows' },
  { keys: ['/'], does: 'filter, in words or as name:value' },
  { keys: ['⌫'], does: 'in the empty field: change the last filter' },
  { keys: ['click'], does: 'on “Only where …”, such as an op or a service in a row: narrow to it' },
  { keys: ['Esc'], does: 'empty the field; leave the list, and new rows appear by themselves again' },
]

/** What every live list has around its table: state, filter, the pill for new rows, the way to older ones. */
export function LiveListFrame<Row>(props: LiveListFrameProps<Row>) {
  const { noun, state, filtering, container } = props
  const { list, shownFilter } = state
  const refused = state.wrong === null ? null : readWrong(filtering.list, state.wrong)
  const nowMs = useNow()
  const still = refused !== null && list.loaded ? stillShowing(noun, filtering.list, shownFilter, nowMs) : null
  const traceIds = useSeenTraces(list.rows, props.traceOf)
  const field = useRef<HTMLInputElement>(null)
  const reveal = (): boolean => {
    if (state.newRows === 0) return false
    state.reveal()
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
  const isNone = list.loaded && loaded === 0 && list.next === null
  useReturnToRow(container, { loaded, older: list.next !== null, busy: state.loadingOlder, loadOlder: state.loadOlder })
  const focusNew = useFocusNewRow(container, loaded)
  return (
    <div className={styles.board}>
      <div className={styles.bar}>
        <h1>{props.title}</h1>
        <ConnectionState connection={state.connection} failure={state.failure} />
        <div className={styles.tools}>
          <KeySheet help={HELP} />
        </div>
      </div>
      <FilterBar
        noun={noun}
        filtering={filtering}
        choices={props.choices}
        hint={props.filterHint}
        refused={refused}
        still={still}
        traceIds={traceIds}
        field={field}
      />
      <ConnectionBanner connection={state.connection} failure={state.failure} />
      <div className={styles.pillPlace} aria-live="polite">
        {state.newRows > 0 && (
          <button type="button" className={styles.pill} onClick={reveal}>
            ↑ {list.gap !== null && 'more than '}
            {formatCount(state.newRows)} new
          </button>
        )}
      </div>
      <div ref={container} className={styles.rows} aria-busy={state.busy}>
        {isNone && (!isFiltered || state.isBare) && props.empty}
        {/* Above the list it is said where an id leads. */}
        {isNone && isFiltered && !state.isBare && !isWholeId(shownFilter.text) && (
          <NoMatch noun={noun} list={filtering.list} filter={shownFilter} onClear={filtering.clear} />
        )}
        {props.children}
        {!list.loaded && refused !== null && <NotAsked noun={noun} filtering={filtering} refused={refused} />}
        {!list.loaded && state.failure === null && refused === null && <p className={styles.note}>Reading …</p>}
      </div>
      <ListEnd
        noun={noun}
        state={state}
        isFiltered={isFiltered}
        still={still}
        onOlder={() => {
          focusNew()
          state.loadOlder()
        }}
      />
    </div>
  )
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
