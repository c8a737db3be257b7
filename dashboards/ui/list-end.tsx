'use client'

import { useNow } from './clock'
import styles from './live-list.module.css'
import { formatShortSecond } from './times'
import { useFactTime } from './use-fact-time'
import type { LiveListState } from './use-live-list'

interface ListEndProps<Row> {
  readonly noun: string
  readonly state: LiveListState<Row>
  readonly isFiltered: boolean
  /** Another filter was refused: what is here is not what is asked for, but this. */
  readonly still: string | null
  readonly onOlder: () => void
}

/** Where a list ends: what there is below it, how far was looked, and the way on. */
export function ListEnd<Row>({ noun, state, isFiltered, still, onOlder }: ListEndProps<Row>) {
  const { list, lookedBackTo, loadingOlder, olderFailure } = state
  const lookedAtMs = useFactTime(lookedBackTo)
  const nowMs = useNow()
  if (!list.loaded) return null
  if (list.next === null) {
    if (list.rows.length === 0) return null
    if (still !== null) return <p className={styles.note}>{still}</p>
    return (
      <p className={styles.note}>
        These are all {noun} kept here{isFiltered && ' that match'}.
      </p>
    )
  }
  const endedEarly = lookedBackTo !== null
  return (
    <div className={styles.older}>
      {endedEarly && (
        <p className={styles.looked} role="status">
          Looked back {lookedAtMs === null ? 'a part of the way' : `to ${formatShortSecond(lookedAtMs, nowMs)}`}
          {list.rows.length === 0 && ', nothing yet'}.
        </p>
      )}
      <button type="button" className="button" onClick={onOlder} disabled={loadingOlder}>
        {olderWord(endedEarly, loadingOlder)}
      </button>
      {olderFailure !== null && (
        <span className="small">The older ones could not be read. Try again when the collector is back.</span>
      )}
    </div>
  )
}

function olderWord(endedEarly: boolean, busy: boolean): string {
  if (endedEarly) return busy ? 'Looking …' : 'Look further back'
  return busy ? 'Loading …' : 'Load older'
}
