'use client'

import { useState } from 'react'
import type { DeadLetter, DeadLetterOrder, DeadLettersDone } from '../../lib/wire/delivery'
import type { CollectorClient } from '../../lib/wire/query-client'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { type LiveState, useLive } from '../ui/use-live'
import { visibleLetters } from './letter-selection'

interface DeadLettersState extends LiveState {
  readonly letters: readonly DeadLetter[] | null
  readonly waiting: number
  readonly reveal: () => void
  readonly more: boolean
  readonly loadOlder: () => void
  /** Resolves with the result and reads again; rejects with the collector's error. */
  readonly order: (order: DeadLetterOrder) => Promise<DeadLettersDone>
}

/** Reads dead letters, newest first. With `hold` no row moves. `onPosted`: an envelope was posted or decided. */
export function useDeadLetters(hold: boolean, onPosted: (seq: number) => void): DeadLettersState {
  const [reader] = useState(() => createLettersReader(client))
  const [read, setRead] = useState<LettersRead | null>(null)
  const [shown, setShown] = useState<readonly DeadLetter[]>([])
  const { readNow, readAgain, connection, failure } = useLive({
    read: async (signal) => {
      const now = await reader.read(signal)
      setRead(now)
      setShown((before) => visibleLetters(before, now.letters, hold).letters)
    },
    concerns: ({ kind, seq }) => {
      if (seq !== null && (kind === 'delivered' || kind === 'decided')) onPosted(seq)
      return kind !== 'received' && kind !== 'digested' && kind !== 'refused'
    },
  })
  const held = visibleLetters(shown, read?.letters ?? [], true)
  return {
    connection,
    failure,
    letters: read === null ? null : held.letters,
    waiting: held.waiting,
    reveal: () => setShown(read?.letters ?? []),
    more: read?.more ?? false,
    loadOlder: () => {
      reader.requestOlder()
      readNow()
    },
    order: async (order) => {
      const done = await client.orderDeadLetters(order, new AbortController().signal)
      readAgain()
      notifyDone()
      return done
    },
  }
}

/** The largest page of the query. */
export const PAGE = 200

interface LettersRead {
  readonly letters: readonly DeadLetter[]
  readonly more: boolean
}

interface LettersReader {
  /** Every later read returns one more page. */
  readonly requestOlder: () => void
  readonly read: (signal: AbortSignal) => Promise<LettersRead>
}

/** Reads dead letters from the newest, as many pages as were requested. */
export function createLettersReader(client: Pick<CollectorClient, 'deadLetters'>): LettersReader {
  let requested = PAGE
  return {
    requestOlder: () => {
      requested += PAGE
    },
    read: async (signal) => {
      const most = requested
      const letters: DeadLetter[] = []
      let cursor: string | null = null
      do {
        const page = await client.deadLetters({ cursor, limit: Math.min(PAGE, most - letters.length), signal })
        letters.push(...page.deadLetters)
        cursor = page.next
      } while (cursor !== null && letters.length < most)
      return { letters, more: cursor !== null }
    },
  }
}
