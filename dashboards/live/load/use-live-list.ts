'use client'

import { useEffect, useRef, useState } from 'react'
import { CollectorError } from '../../../lib/wire/collector-client'
import type { JournalFact } from '../../../lib/wire/journal'
import type { AnyFilter } from '../../filter/arrange/filter-of-list'
import type { Filtering } from '../../filter/url/use-filter'
import {
  appendOlder,
  emptyList,
  type ListPage,
  type LiveList,
  lookedBackTo,
  mergeNewest,
  type RowIdentity,
  reachOf,
  revealWaiting,
  startList,
} from '../arrange/live-list'
import { type Failure, failureOf } from './failure'
import { type LiveState, useLive } from './use-live'

export interface PageWanted {
  readonly filter: AnyFilter
  readonly cursor: string | null
  readonly limit: number
  readonly signal?: AbortSignal
}

export interface ListReader<Row> extends RowIdentity<Row> {
  readonly streamUrl: string
  readonly filtering: Filtering
  readonly readPage: (wanted: PageWanted) => Promise<ListPage<Row>>
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
  readonly reveal: () => void
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailure: Failure | null
}

const PAGE = 50
/** The most that one query answers. */
const LARGEST_PAGE = 200
/** A page may end early: how many more than full ones would need are read to see again what is shown. */
const EARLY_PAGES = 3

interface Shown<Row> {
  readonly list: LiveList<Row>
  readonly filter: AnyFilter
  /** Of the filter; `null` before anything was read. */
  readonly key: string | null
  readonly isBare: boolean
}

/** A list that follows the live stream. What is shown is read again whole, however long it has grown. */
export function useLiveList<Row>(reader: ListReader<Row>): LiveListState<Row> {
  const { filter, key } = reader.filtering
  const [shown, setShown] = useState<Shown<Row>>({ list: emptyList(), filter: {}, key: null, isBare: false })
  const [wrong, setWrong] = useState<{ readonly key: string; readonly sentence: string } | null>(null)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [olderFailure, setOlderFailure] = useState<Failure | null>(null)
  const restart = useRef(false)
  const turn = useRef<AbortController | null>(null)
  const { list } = shown
  const isWrong = wrong !== null && wrong.key === key

  const read = async (ended: AbortSignal): Promise<void> => {
    // Beside a wrong filter the last right one is followed on.
    const asked = isWrong ? { filter: shown.filter, key: shown.key } : { filter, key }
    if (asked.key === null) return
    const starting = restart.current || asked.key !== shown.key
    restart.current = false
    const signal = turn.current === null ? ended : AbortSignal.any([ended, turn.current.signal])
    const page = await readShown(reader, asked.filter, starting ? emptyList() : list, signal).catch((error) => {
      if (!isWrongFilter(error, asked.filter)) throw error
      if (!signal.aborted) setWrong({ key: asked.key ?? '', sentence: error.message })
      return null
    })
    if (page === null || signal.aborted) return
    const isBare = page.rows.length === 0 && page.next === null && (await hasNothing(reader, asked.filter, signal))
    if (signal.aborted) return
    const hold = reader.mustHold()
    setShown((before) => ({
      ...asked,
      isBare,
      list: starting || before.key !== asked.key ? startList(page) : mergeNewest(before.list, page, hold, reader),
    }))
  }
  const concerns = (fact: JournalFact): boolean => {
    if (fact.kind === 'cleared') restart.current = true
    return reader.concerns(fact)
  }
  const { readNow, connection, failure } = useLive({ streamUrl: reader.streamUrl, read, concerns })
  useEffect(() => {
    if (key === null) return
    const mine = new AbortController()
    turn.current = mine
    readNow()
    return () => mine.abort()
  }, [key, readNow])

  const readOlder = async (cursor: string): Promise<void> => {
    setLoadingOlder(true)
    try {
      const page = await reader.readPage({ filter: shown.filter, cursor, limit: PAGE })
      setOlderFailure(null)
      setShown((before) =>
        before.key === shown.key && before.list.next === cursor
          ? { ...before, list: appendOlder(before.list, page, reader) }
          : before,
      )
    } catch (error) {
      setOlderFailure(failureOf(error))
    }
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
    olderFailure,
    reveal: () => setShown((before) => ({ ...before, list: revealWaiting(before.list, reader) })),
    loadOlder: () => {
      if (list.next !== null && !loadingOlder) void readOlder(list.next)
    },
  }
}

/** The newest page, and as many behind it as it takes to see again what a list shows. */
async function readShown<Row>(
  reader: ListReader<Row>,
  filter: AnyFilter,
  { rows, waiting }: LiveList<Row>,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  const wanted = Math.max(PAGE, rows.length + waiting.length)
  const last = rows.at(-1)
  const bottom = last === undefined ? Number.POSITIVE_INFINITY : reader.orderOf(last)
  let left = Math.ceil(wanted / LARGEST_PAGE) + EARLY_PAGES
  let page = await reader.readPage({ filter, cursor: null, limit: Math.min(wanted, LARGEST_PAGE), signal })
  while (page.next !== null && page.rows.length < wanted && reachOf(page, reader) > bottom && left > 0) {
    left -= 1
    const more = await reader.readPage({ filter, cursor: page.next, limit: LARGEST_PAGE, signal })
    page = { rows: [...page.rows, ...more.rows], next: more.next, head: page.head }
  }
  return page
}

async function hasNothing<Row>(reader: ListReader<Row>, filter: AnyFilter, signal: AbortSignal): Promise<boolean> {
  if (Object.keys(filter).length === 0) return true
  return (await reader.readPage({ filter: {}, cursor: null, limit: 1, signal })).rows.length === 0
}

/** The collector answers 400 to what it does not understand; without a filter that is not the reader's doing. */
const isWrongFilter = (error: unknown, filter: AnyFilter): error is CollectorError =>
  error instanceof CollectorError && error.status === 400 && Object.keys(filter).length > 0
