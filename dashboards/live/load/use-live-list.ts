'use client'

import { useRef, useState } from 'react'
import type { JournalFact } from '../../../lib/wire/journal'
import {
  appendOlder,
  emptyList,
  type ListPage,
  type LiveList,
  mergeNewest,
  type RowIdentity,
  revealWaiting,
  startList,
} from '../arrange/live-list'
import { type Failure, failureOf } from './failure'
import { type LiveState, useLive } from './use-live'

export interface ListReader<Row> extends RowIdentity<Row> {
  readonly streamUrl: string
  readonly readPage: (options: { cursor: string | null; limit: number; signal?: AbortSignal }) => Promise<ListPage<Row>>
  readonly concerns: (fact: JournalFact) => boolean
  /** Must new rows wait, because the reader is in the middle of the list? */
  readonly mustHold: () => boolean
}

export interface LiveListState<Row> extends LiveState {
  readonly list: LiveList<Row>
  readonly reveal: () => void
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailure: Failure | null
}

const PAGE = 50
/** The most that one query answers. */
const LARGEST_PAGE = 200

/** A list that follows the live stream. What is shown is read again whole, however long it has grown. */
export function useLiveList<Row>(reader: ListReader<Row>): LiveListState<Row> {
  const [list, setList] = useState<LiveList<Row>>(emptyList)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [olderFailure, setOlderFailure] = useState<Failure | null>(null)
  const restart = useRef(false)

  const read = async (signal: AbortSignal): Promise<void> => {
    const wanted = Math.max(PAGE, list.rows.length + list.waiting.length)
    const starting = restart.current
    restart.current = false
    let page = await reader.readPage({ cursor: null, limit: Math.min(wanted, LARGEST_PAGE), signal })
    while (page.rows.length < wanted && page.next !== null) {
      const more = await reader.readPage({ cursor: page.next, limit: LARGEST_PAGE, signal })
      page = { rows: [...page.rows, ...more.rows], next: more.next }
    }
    const hold = reader.mustHold()
    setList((before) => (starting ? startList(page) : mergeNewest(before, page, hold, reader)))
  }
  const concerns = (fact: JournalFact): boolean => {
    if (fact.kind === 'cleared') restart.current = true
    return reader.concerns(fact)
  }
  const live = useLive({ streamUrl: reader.streamUrl, read, concerns })

  const readOlder = async (cursor: string): Promise<void> => {
    setLoadingOlder(true)
    try {
      const page = await reader.readPage({ cursor, limit: PAGE })
      setOlderFailure(null)
      setList((before) => (before.next === cursor ? appendOlder(before, page, reader) : before))
    } catch (error) {
      setOlderFailure(failureOf(error))
    }
    setLoadingOlder(false)
  }
  return {
    ...live,
    list,
    loadingOlder,
    olderFailure,
    reveal: () => setList(revealWaiting),
    loadOlder: () => {
      if (list.next !== null && !loadingOlder) void readOlder(list.next)
    },
  }
}
