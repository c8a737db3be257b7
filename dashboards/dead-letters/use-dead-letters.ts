'use client'

import { useState } from 'react'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { DeadLetter, DeadLetterOrder, DeadLettersDone } from '../../lib/wire/delivery'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { type LiveState, useLive } from '../ui/use-live'
import { heldLetters } from './letter-selection'

export interface DeadLettersState extends LiveState {
  /** `null` until they were read once. */
  readonly letters: readonly DeadLetter[] | null
  /** How many came meanwhile; `reveal` shows them. */
  readonly waiting: number
  readonly reveal: () => void
  /** There are older ones than are shown. */
  readonly more: boolean
  readonly loadOlder: () => void
  /** Answers what came of it, and reads again; rejects with what the collector said. */
  readonly order: (order: DeadLetterOrder) => Promise<DeadLettersDone>
}

/**
 * The dead letters there are, the newest envelope first, as they come and go.
 * @param hold a person is choosing
 * @param onPosted an envelope was posted, or decided without
 */
export function useDeadLetters(hold: boolean, onPosted: (seq: number) => void): DeadLettersState {
  const [reader] = useState(() => createLettersReader(client))
  const [read, setRead] = useState<LettersRead | null>(null)
  const [shown, setShown] = useState<readonly DeadLetter[]>([])
  const { readNow, readAgain, connection, failure } = useLive({
    read: async (signal) => {
      const now = await reader.read(signal)
      setRead(now)
      setShown((before) => heldLetters(before, now.letters, hold).letters)
    },
    concerns: ({ kind, seq }) => {
      if (seq !== null && (kind === 'delivered' || kind === 'decided')) onPosted(seq)
      return kind !== 'received' && kind !== 'digested' && kind !== 'refused'
    },
  })
  const held = heldLetters(shown, read?.letters ?? [], true)
  return {
    connection,
    failure,
    letters: read === null ? null : held.letters,
    waiting: held.waiting,
    reveal: () => setShown(read?.letters ?? []),
    more: read?.more ?? false,
    loadOlder: () => {
      reader.goOlder()
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

/** The most that one query answers. */
export const PAGE = 200

interface LettersRead {
  readonly letters: readonly DeadLetter[]
  /** There are older ones than were read. */
  readonly more: boolean
}

export interface LettersReader {
  /** From now on a page more is read each time, also by a read that is asked for before anything is drawn. */
  readonly goOlder: () => void
  readonly read: (signal: AbortSignal) => Promise<LettersRead>
}

/** Reads dead letters from the newest on, as far back as somebody went. */
export function createLettersReader(client: Pick<CollectorClient, 'deadLetters'>): LettersReader {
  let asked = PAGE
  return {
    goOlder: () => {
      asked += PAGE
    },
    read: async (signal) => {
      const most = asked
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
