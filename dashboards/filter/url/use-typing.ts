'use client'

import { useEffect, useRef, useState } from 'react'
import type { Mistake } from '../arrange/asked'
import { filterNames, isFilterName } from '../arrange/filter-of-list'
import { typedPart } from '../arrange/quotes'
import { readTyped, typedText } from '../arrange/typed'
import { typingSteps } from './typing-steps'
import type { Filtering } from './use-filter'

/** As long as a word is being typed it is not looked for. */
const PAUSE_MS = 250

export interface Typing {
  /** What stands in the field. */
  readonly typed: string
  readonly mistake: Mistake | null
  readonly type: (typed: string) => void
  /** Nothing more is being typed: what stands there counts. */
  readonly finish: (typed?: string) => void
  readonly clear: () => void
  /** Leaves the filter as it is, and what was typed and does not count. */
  readonly forget: () => void
  /** Takes the last part of the filter back into the field. @returns whether there was one. */
  readonly takeBack: () => boolean
}

interface Draft {
  readonly typed: string
  /** The words of the filter that it was typed over: when they become others by another way, it is forgotten. */
  readonly text: string
  readonly done: boolean
}

/** The field above a list: words are looked for after a pause, a whole `name:value` becomes a part of the filter at once. */
export function useTyping({ list, filter, change }: Filtering, nowMs: number): Typing {
  const [draft, setDraft] = useState<Draft | null>(null)
  const timer = useRef<number | null>(null)
  const [steps] = useState(() => typingSteps(change))
  const text = filter.text ?? ''
  const isMine = draft !== null && draft.text === text
  const typed = isMine ? draft.typed : typedText(list, text)

  const stop = (): void => {
    if (timer.current !== null) window.clearTimeout(timer.current)
    timer.current = null
  }
  useEffect(() => () => window.clearTimeout(timer.current ?? undefined), [])

  const commit = (value: string, done: boolean): void => {
    stop()
    const read = readTyped(list, value, done, nowMs)
    const say = Object.keys(read.changes).length > 0 ? steps.part : steps.words
    say({ ...read.changes, ...(isFilterName(list, 'text') && { text: read.text }) })
    setDraft({ typed: read.rest, text: read.text, done })
  }
  return {
    typed,
    mistake: readTyped(list, typed, isMine && draft.done, nowMs).mistake,
    type: (value) => {
      stop()
      if (!isMine) steps.end()
      if (Object.keys(readTyped(list, value, false, nowMs).changes).length > 0) {
        commit(value, false)
        return
      }
      setDraft({ typed: value, text, done: false })
      timer.current = window.setTimeout(() => commit(value, false), PAUSE_MS)
    },
    finish: (value) => {
      // What nobody has typed stays as the address says it, to the letter.
      if (value !== undefined || isMine) commit(value ?? typed, true)
      else stop()
      steps.end()
    },
    clear: () => {
      stop()
      steps.end()
      change({ text: null }, 'step')
      setDraft(null)
    },
    forget: () => {
      stop()
      steps.end()
      setDraft(null)
    },
    takeBack: () => {
      const name = filterNames(list).findLast((one) => one !== 'text' && filter[one] !== undefined)
      const value = name === undefined ? undefined : filter[name]
      if (name === undefined || value === undefined) return false
      steps.end()
      change({ [name]: null }, 'step')
      setDraft({ typed: typedPart(name, value), text, done: false })
      return true
    },
  }
}
