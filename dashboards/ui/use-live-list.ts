'use client'

import { useEffect, useRef, useState } from 'react'
import type { QueryList } from '../../lib/filter/keys'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { JournalFact } from '../../lib/wire/journal'
import type { LeftOut } from '../../lib/wire/values'
import { type Failure, failureOf } from './client'
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
import { type LiveState, useLive } from './use-live'
import { type Querying, useQuery } from './use-query'

export interface ListSource<Row> extends PageReader<Row> {
  readonly list: QueryList
  /** Of the list `signals`. */
  readonly kind?: SignalKind
  readonly concerns: (fact: JournalFact) => boolean
}

export interface LiveList<Row> extends LiveState {
  readonly querying: Querying
  readonly kind: SignalKind | undefined
  readonly list: LiveListState<Row>
  /** The query of the visible rows. Differs from the address while a request runs. */
  readonly shownQuery: string
  /** Rows for another query are being read. */
  readonly busy: boolean
  /** The server holds no rows at all, with any query. */
  readonly isEmptyStore: boolean
  /** Rows that the list does not show; `null` of lists that do not count them. */
  readonly leftOut: LeftOut | null
  /** Journal number down to which the server searched, when it ended before the end of the list. */
  readonly searchedBackTo: number | null
  /** New rows that wait; at least this many when the list has a gap. */
  readonly newRows: number
  readonly reveal: () => void
  /** Every change waits until the reader resumes. */
  readonly isPaused: boolean
  readonly pause: (isPaused: boolean) => void
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailure: Failure | null
}

interface Shown<Row> {
  readonly list: LiveListState<Row>
  readonly key: string | null
  readonly isEmptyStore: boolean
  readonly leftOut: LeftOut | null
}

/** A list that follows the live stream. New rows wait while `isReading`. Keep the same `ownParams` array. */
export function useLiveList<Row>(
  source: ListSource<Row>,
  isReading: () => boolean,
  ownParams?: readonly string[],
): LiveList<Row> {
  const querying = useQuery(source.list, ownParams)
  const { key } = querying
  const [shown, setShown] = useState<Shown<Row>>({ list: emptyList(), key: null, isEmptyStore: false, leftOut: null })
  const [isPaused, setPaused] = useState(false)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [older, setOlder] = useState<{ readonly key: string | null; readonly failure: Failure | null } | null>(null)
  const clearings = useRef(0)
  const clearingsRead = useRef(0)
  const queryAborter = useRef<AbortController | null>(null)
  const isReadingOlder = useRef(false)
  const { list } = shown

  // While older rows are read the list must not move: the cursor would no longer fit its end.
  const holds = (): boolean | 'all' => (isPaused ? 'all' : isReadingOlder.current || isReading())

  const read = async (ended: AbortSignal): Promise<void> => {
    if (key === null) return
    const cleared = clearings.current
    const restart = cleared !== clearingsRead.current || key !== shown.key
    const signal = queryAborter.current === null ? ended : AbortSignal.any([ended, queryAborter.current.signal])
    const request = { q: key, list: restart ? emptyList<Row>() : list, hold: holds() !== false, signal }
    const page = await readVisible(source, request)
    if (signal.aborted) return
    const isEmptyStore = page.rows.length === 0 && page.next === null && (await hasNoRows(source, key, signal))
    if (signal.aborted) return
    // Recorded only after the read: a failed read, or a clearing during it, must restart the list next time.
    clearingsRead.current = cleared
    const hold = holds()
    setShown((before) => ({
      key,
      isEmptyStore,
      leftOut: page.leftOut ?? null,
      list: restart || before.key !== key ? startList(page) : mergeNewest(before.list, page, hold, source),
    }))
  }
  const concerns = (fact: JournalFact): boolean => {
    if (fact.kind === 'cleared') clearings.current += 1
    return source.concerns(fact)
  }
  const { readNow, ...live } = useLive({ read, concerns })
  useEffect(() => {
    if (key === null) return
    const aborter = new AbortController()
    queryAborter.current = aborter
    readNow()
    return () => aborter.abort()
  }, [key, readNow])
  useEffect(() => {
    // The rows that wait may be fewer than those that arrived during the pause.
    if (!isPaused) readNow()
  }, [isPaused, readNow])

  const readOlder = async (cursor: string): Promise<void> => {
    isReadingOlder.current = true
    setLoadingOlder(true)
    try {
      const page = await source.readPage({ q: shown.key ?? '', cursor, limit: PAGE })
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
  const reveal = (): void => setShown((before) => ({ ...before, list: revealWaiting(before.list, source) }))
  return {
    ...live,
    querying,
    kind: source.kind,
    list,
    shownQuery: shown.key ?? '',
    busy: key !== null && shown.key !== key,
    isEmptyStore: shown.isEmptyStore,
    leftOut: shown.leftOut,
    searchedBackTo: searchedBackTo(list, source),
    loadingOlder,
    olderFailure: older?.key === shown.key ? older.failure : null,
    newRows: countNew(list, source),
    reveal,
    isPaused,
    pause: (paused) => {
      setPaused(paused)
      if (!paused) reveal()
    },
    loadOlder: () => {
      if (list.next !== null && !loadingOlder) void readOlder(list.next)
    },
  }
}

async function hasNoRows<Row>(source: ListSource<Row>, q: string, signal: AbortSignal): Promise<boolean> {
  if (q === '') return true
  return (await source.readPage({ q: '', cursor: null, limit: 1, signal })).rows.length === 0
}
