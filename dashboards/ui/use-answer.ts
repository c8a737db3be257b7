'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { type Failure, failureOf } from './client'

interface Answer<Of> {
  /** `undefined` until it is read, and when that fails. */
  readonly answer: Of | undefined
  readonly failure: Failure | null
}

interface Known<Of> extends Answer<Of> {
  readonly key: string | null
  readonly state: string
}

const NOTHING = { answer: undefined, failure: null }

/**
 * Reads an answer once per key; with `null` nothing is read.
 * @param state when it changes, the answer is read again; until then the old one stays
 */
export function useAnswer<Of>(key: string | null, read: (signal: AbortSignal) => Promise<Of>, state = ''): Answer<Of> {
  const [known, setKnown] = useState<Known<Of>>({ key, state, ...NOTHING })
  const onRead = useEffectEvent(read)
  useEffect(() => {
    if (key === null) return
    const aborter = new AbortController()
    onRead(aborter.signal).then(
      (answer) => setKnown({ key, state, answer, failure: null }),
      (error: unknown) => {
        const failure = aborter.signal.aborted ? null : failureOf(error)
        if (failure !== null) setKnown({ key, state, answer: undefined, failure })
      },
    )
    return () => aborter.abort()
  }, [key, state])
  return known.key === key ? known : NOTHING
}
