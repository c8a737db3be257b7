'use client'

import { useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { DeadLetter, DeadLetterOrder } from '../../../lib/wire/dead-letter'
import { type LiveState, useLive } from '../../live/load/use-live'
import { heldLetters } from '../arrange/held-letters'

const client = collectorClient('/collector', (...args) => fetch(...args))

/** The most that one query answers. */
const PAGE = 200

export interface DeadLettersState extends LiveState {
  /** `null` until they were read once. */
  readonly letters: readonly DeadLetter[] | null
  /** How many came meanwhile; `reveal` shows them. */
  readonly waiting: number
  readonly reveal: () => void
  /** There are older ones than are shown. */
  readonly more: boolean
  readonly loadOlder: () => void
  /** Answers how many it was done to, and reads again; rejects with what the collector said. */
  readonly order: (order: DeadLetterOrder) => Promise<number>
}

interface Read {
  readonly letters: readonly DeadLetter[]
  readonly more: boolean
}

/** The dead letters there are, the newest envelope first, as they come and go. @param hold a person is choosing. */
export function useDeadLetters(hold: boolean): DeadLettersState {
  const [asked, setAsked] = useState(PAGE)
  const [read, setRead] = useState<Read | null>(null)
  const [shown, setShown] = useState<readonly DeadLetter[]>([])
  const { readNow, readAgain, connection, failure } = useLive({
    streamUrl: client.streamUrl,
    read: async (signal) => {
      const now = await readLetters(asked, signal)
      setRead(now)
      setShown((before) => heldLetters(before, now.letters, hold).letters)
    },
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'digested' && fact.kind !== 'refused',
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
      setAsked(asked + PAGE)
      readNow()
    },
    order: async (order) => {
      const done = await client.orderDeadLetters(order, new AbortController().signal)
      readAgain()
      return done
    },
  }
}

async function readLetters(asked: number, signal: AbortSignal): Promise<Read> {
  const letters: DeadLetter[] = []
  let cursor: string | null = null
  do {
    const page = await client.deadLetters({ cursor, limit: Math.min(PAGE, asked - letters.length), signal })
    letters.push(...page.deadLetters)
    cursor = page.next
  } while (cursor !== null && letters.length < asked)
  return { letters, more: cursor !== null }
}
