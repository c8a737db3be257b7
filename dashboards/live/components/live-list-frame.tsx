'use client'

import { type ReactNode, type RefObject, useRef } from 'react'
import { type KeyHelp, KeySheet } from '../../keys/key-sheet'
import { useRowKeys } from '../../keys/use-row-keys'
import { formatCount } from '../../words/quantities'
import type { LiveListState } from '../load/use-live-list'
import { ConnectionBanner, ConnectionState } from './connection-state'
import styles from './live-list-frame.module.css'

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
  const hidden = list.rows.length - shown
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
        {hidden > 0 && (
          <p className={styles.note}>
            {shown === 0 && 'None matches. '}
            {formatCount(hidden)} of {formatCount(list.rows.length)} loaded {props.noun} hidden by the filter.{' '}
            <button type="button" className={styles.link} onClick={() => props.onFilter(null)}>
              Clear it
            </button>
          </p>
        )}
      </div>
      {list.next !== null && (
        <div className={styles.older}>
          <button type="button" className="button" onClick={state.loadOlder} disabled={state.loadingOlder}>
            {state.loadingOlder ? 'Loading …' : 'Load older'}
          </button>
          {state.olderFailure !== null && (
            <span className="small">The older ones could not be read. Try again when the collector is back.</span>
          )}
        </div>
      )}
      {list.loaded && list.next === null && list.rows.length > 0 && (
        <p className={styles.note}>These are all {props.noun} kept here.</p>
      )}
    </div>
  )
}
