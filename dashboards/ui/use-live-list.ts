'use client'

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { CollectorError } from '../../lib/wire/errors'
import type { JournalFact } from '../../lib/wire/journal'
import { addSeenValues, type SeenValues, type ValuesOf } from './choices'
import { type Failure, failureOf } from './client'
import type { AnyFilter, BoardList } from './filter-address'
import {
  appendOlder,
  countNew,
  emptyList,
  type LiveListState,
  mergeNewest,
  PAGE,
  type PageReader,
  readVisible,
  revealWaiting,
  searchedBackTo,
  startList,
} from './live-list-state'
import { addTraceIds } from './typed-id'
import { type Filtering, useFilter } from './use-filter'
import { type Live, useLive } from './use-live'

export interface ListSource<Row> extends PageReader<Row> {
  readonly list: BoardList
  readonly concerns: (fact: JournalFact) => boolean
  readonly valuesOf: ValuesOf<Row>
  readonly traceOf?: (row: Row) => string | null
}

export interface LiveList<Row> extends Pick<Live, 'connection' | 'failure'> {
  readonly filtering: Filtering
  readonly list: LiveListState<Row>
  /** The filter of the visible rows. Differs from the address while a request runs or after one was refused. */
  readonly shownFilter: AnyFilter
  /** Rows for another filter are being read. */
  readonly busy: boolean
  /** Why the server refused the filter; the rows of the last valid filter stay. */
  readonly refusal: CollectorError | null
  /** The server holds no rows at all, with any filter. */
  readonly isEmptyStore: boolean
  /** Journal number down to which the server searched, when it ended before the end of the list. */
  readonly searchedBackTo: number | null
  /** New rows that wait; at least this many when the list has a gap. */
  readonly newRows: number
  readonly reveal: () => void
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailure: Failure | null
  /** Values and trace ids of all rows since the page was opened: narrowing the list does not remove them. */
  readonly seen: SeenValues
  readonly traceIds: readonly string[]
}

interface Shown<Row> {
  readonly list: LiveListState<Row>
  readonly filter: AnyFilter
  readonly key: string | null
  readonly isEmptyStore: boolean
}

/** A filtered list that follows the live stream. New rows wait while `isReading`. Keep the same `ownParams` array. */
export function useLiveList<Row>(
  source: ListSource<Row>,
  isReading: () => boolean,
  ownParams?: readonly string[],
): LiveList<Row> {
  const filtering = useFilter(source.list, ownParams)
  const { filter, key } = filtering
  const [shown, setShown] = useState<Shown<Row>>({ list: emptyList(), filter: {}, key: null, isEmptyStore: false })
  const [refused, setRefused] = useState<{ readonly key: string; readonly error: CollectorError } | null>(null)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [older, setOlder] = useState<{ readonly key: string | null; readonly failure: Failure | null } | null>(null)
  const clearings = useRef(0)
  const clearingsRead = useRef(0)
  const filterAborter = useRef<AbortController | null>(null)
  const isReadingOlder = useRef(false)
  const { list } = shown
  const isRefused = refused !== null && refused.key === key

  // While older rows are read the list must not move: the cursor would no longer fit its end.
  const isReadingList = (): boolean => isReadingOlder.current || isReading()

  const read = async (ended: AbortSignal): Promise<void> => {
    // With a refused filter, keep following the last valid one.
    const query = isRefused ? { filter: shown.filter, key: shown.key } : { filter, key }
    if (query.key === null) return
    const cleared = clearings.current
    const restart = cleared !== clearingsRead.current || query.key !== shown.key
    const signal = filterAborter.current === null ? ended : AbortSignal.any([ended, filterAborter.current.signal])
    const request = { filter: query.filter, list: restart ? emptyList<Row>() : list, hold: isReadingList(), signal }
    const page = await readVisible(source, request).catch((error) => {
      if (!isFilterRefusal(error, query.filter)) throw error
      if (!signal.aborted) setRefused({ key: query.key ?? '', error })
      return null
    })
    if (page === null || signal.aborted) return
    const isEmptyStore = page.rows.length === 0 && page.next === null && (await hasNoRows(source, query.filter, signal))
    if (signal.aborted) return
    // Recorded only after the read: a failed read, or a clearing during it, must restart the list next time.
    clearingsRead.current = cleared
    const hold = isReadingList()
    setShown((before) => ({
      ...query,
      isEmptyStore,
      list: restart || before.key !== query.key ? startList(page) : mergeNewest(before.list, page, hold, source),
    }))
  }
  const concerns = (fact: JournalFact): boolean => {
    if (fact.kind === 'cleared') clearings.current += 1
    return source.concerns(fact)
  }
  const { readNow, connection, failure } = useLive({ read, concerns })
  useEffect(() => {
    if (key === null) return
    const aborter = new AbortController()
    filterAborter.current = aborter
    readNow()
    return () => aborter.abort()
  }, [key, readNow])

  const readOlder = async (cursor: string): Promise<void> => {
    isReadingOlder.current = true
    setLoadingOlder(true)
    try {
      const page = await source.readPage({ filter: shown.filter, cursor, limit: PAGE })
      setOlder(null)
      setShown((before) =>
        before.key === shown.key && before.list.next === cursor
          ? { ...before, list: appendOlder(before.list, page, source) }
          : before,
      )
    } catch (error) {
      setOlder({ key: shown.key, failure: failureOf(error) })
    }
    isReadingOlder.current = false
    setLoadingOlder(false)
  }
  return {
    filtering,
    connection,
    failure,
    list,
    shownFilter: shown.filter,
    busy: key !== null && shown.key !== key && !isRefused,
    refusal: isRefused ? refused.error : null,
    isEmptyStore: shown.isEmptyStore,
    searchedBackTo: searchedBackTo(list, source),
    loadingOlder,
    olderFailure: older?.key === shown.key ? older.failure : null,
    newRows: countNew(list, source),
    reveal: () => setShown((before) => ({ ...before, list: revealWaiting(before.list, source) })),
    loadOlder: () => {
      if (list.next !== null && !loadingOlder) void readOlder(list.next)
    },
    seen: useCollected<Row, SeenValues>(list.rows, {}, (seen, rows) => addSeenValues(seen, rows, source.valuesOf)),
    traceIds: useCollected<Row, readonly string[]>(list.rows, [], (ids, rows) =>
      addTraceIds(ids, rows.map(source.traceOf ?? (() => null))),
    ),
  }
}

/** Collects from all rows that were visible since the page was opened. */
function useCollected<Row, Value>(
  rows: readonly Row[],
  initial: Value,
  add: (collected: Value, rows: readonly Row[]) => Value,
): Value {
  const [collected, setCollected] = useState(initial)
  const grow = useEffectEvent((added: readonly Row[]) => setCollected((before) => add(before, added)))
  useEffect(() => grow(rows), [rows])
  return collected
}

async function hasNoRows<Row>(source: ListSource<Row>, filter: AnyFilter, signal: AbortSignal): Promise<boolean> {
  if (Object.keys(filter).length === 0) return true
  return (await source.readPage({ filter: {}, cursor: null, limit: 1, signal })).rows.length === 0
}

/** The server answers 400 to a filter that it cannot parse. Without a filter, a 400 is a real failure. */
const isFilterRefusal = (error: unknown, filter: AnyFilter): error is CollectorError =>
  error instanceof CollectorError && error.status === 400 && Object.keys(filter).length > 0
