'use client'

import { useState } from 'react'
import type { DeadLetter, DeadLetterOrder, DeadLettersDone } from '../../lib/wire/dead-letter'
import { tellDone } from '../ui/changes'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'
import { heldLetters } from './held-letters'
import { createLettersReader, type LettersRead } from './letters-reader'

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
      tellDone()
      return done
    },
  }
}
