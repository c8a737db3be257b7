'use client'

import { useEffect, useRef, useState } from 'react'
import { CollectorError } from '../../lib/wire/collector-client'
import type { JournalFact } from '../../lib/wire/journal'
import { type Failure, failureOf } from './client'
import type { AnyFilter } from './filter-address'
import {
  appendOlder,
  countNew,
  emptyList,
  type LiveList,
  lookedBackTo,
  mergeNewest,
  PAGE,
  type PageReader,
  readShown,
  revealWaiting,
  startList,
} from './live-list-state'
import type { Filtering } from './use-filter'
import { type LiveState, useLive } from './use-live'

export interface ListReader<Row> extends PageReader<Row> {
  readonly filtering: Filtering
  readonly concerns: (fact: JournalFact) => boolean
  /** Must new rows wait, because the reader is in the middle of the list? */
  readonly mustHold: () => boolean
}

export interface LiveListState<Row> extends LiveState {
  readonly list: LiveList<Row>
  /** What the rows that are shown were asked for. */
  readonly shownFilter: AnyFilter
  /** Other rows are asked for than are shown. */
  readonly busy: boolean
  /** What the collector says of a filter that means nothing to it; what is shown is then as it was. */
  readonly wrong: string | null
  /** Nothing is kept at all, whatever it is narrowed by. */
  readonly isBare: boolean
  /** Journal number down to which was looked, where that is further than the rows reach. */
  readonly lookedBackTo: number | null
  /** How many rows wait until the reader wants them; at least so many, where the list has a gap. */
  readonly newRows: number
  readonly reveal: () => void
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailure: Failure | null
}

interface Shown<Row> {
  readonly list: LiveList<Row>
  readonly filter: AnyFilter
  /** Of the filter; `null` before anything was read. */
  readonly key: string | null
  readonly isBare: boolean
}

/** A list that follows the live stream. What the reader has asked for is read again whole. */
export function useLiveList<Row>(reader: ListReader<Row>): LiveListState<Row> {
  const { filter, key } = reader.filtering
  const [shown, setShown] = useState<Shown<Row>>({ list: emptyList(), filter: {}, key: null, isBare: false })
  const [wrong, setWrong] = useState<{ readonly key: string; readonly sentence: string } | null>(null)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [older, setOlder] = useState<{ readonly key: string | null; readonly failure: Failure | null } | null>(null)
  const clearings = useRef(0)
  const clearingsSeen = useRef(0)
  const turn = useRef<AbortController | null>(null)
  const goingOlder = useRef(false)
  const { list } = shown
  const isWrong = wrong !== null && wrong.key === key

  // The way to older rows must not move while they are fetched, or what comes has no place any more.
  const mustHold = (): boolean => goingOlder.current || reader.mustHold()
  const read = async (ended: AbortSignal): Promise<void> => {
    // Beside a wrong filter the last right one is followed on.
    const asked = isWrong ? { filter: shown.filter, key: shown.key } : { filter, key }
    if (asked.key === null) return
    const cleared = clearings.current
    const starting = cleared !== clearingsSeen.current || asked.key !== shown.key
    const signal = turn.current === null ? ended : AbortSignal.any([ended, turn.current.signal])
    const look = { filter: asked.filter, list: starting ? emptyList<Row>() : list, hold: mustHold(), signal }
    const page = await readShown(reader, look).catch((error) => {
      if (!isWrongFilter(error, asked.filter)) throw error
      if (!signal.aborted) setWrong({ key: asked.key ?? '', sentence: error.message })
      return null
    })
    if (page === null || signal.aborted) return
    const isBare = page.rows.length === 0 && page.next === null && (await hasNothing(reader, asked.filter, signal))
    if (signal.aborted) return
    // Seen only now: a look that fails must not lose the clearing, nor one that was cleared while it was made.
    clearingsSeen.current = cleared
    const hold = mustHold()
    setShown((before) => ({
      ...asked,
      isBare,
      list: starting || before.key !== asked.key ? startList(page) : mergeNewest(before.list, page, hold, reader),
    }))
  }
  const concerns = (fact: JournalFact): boolean => {
    if (fact.kind === 'cleared') clearings.current += 1
    return reader.concerns(fact)
  }
  const { readNow, connection, failure } = useLive({ read, concerns })
  useEffect(() => {
    if (key === null) return
    const mine = new AbortController()
    turn.current = mine
    readNow()
    return () => mine.abort()
  }, [key, readNow])

  const readOlder = async (cursor: string): Promise<void> => {
    goingOlder.current = true
    setLoadingOlder(true)
    try {
      const page = await reader.readPage({ filter: shown.filter, cursor, limit: PAGE })
      setOlder(null)
      setShown((before) =>
        before.key === shown.key && before.list.next === cursor
          ? { ...before, list: appendOlder(before.list, page, reader) }
          : before,
      )
    } catch (error) {
      setOlder({ key: shown.key, failure: failureOf(error) })
    }
    goingOlder.current = false
    setLoadingOlder(false)
  }
  return {
    connection,
    failure,
    list,
    shownFilter: shown.filter,
    busy: key !== null && shown.key !== key && !isWrong,
    wrong: isWrong ? wrong.sentence : null,
    isBare: shown.isBare,
    lookedBackTo: lookedBackTo(list, reader),
    loadingOlder,
    olderFailure: older?.key === shown.key ? older.failure : null,
    newRows: countNew(list, reader),
    reveal: () => setShown((before) => ({ ...before, list: revealWaiting(before.list, reader) })),
    loadOlder: () => {
      if (list.next !== null && !loadingOlder) void readOlder(list.next)
    },
  }
}

async function hasNothing<Row>(reader: ListReader<Row>, filter: AnyFilter, signal: AbortSignal): Promise<boolean> {
  if (Object.keys(filter).length === 0) return true
  return (await reader.readPage({ filter: {}, cursor: null, limit: 1, signal })).rows.length === 0
}

/** The collector answers 400 to what it does not understand; without a filter that is not the reader's doing. */
const isWrongFilter = (error: unknown, filter: AnyFilter): error is CollectorError =>
  error instanceof CollectorError && error.status === 400 && Object.keys(filter).length > 0
