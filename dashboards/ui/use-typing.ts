'use client'

import { useEffect, useRef, useState } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import { type AnyFilter, type FilterChanges, filterNames, isFilterName, typedPart } from './filter-address'
import { type Mistake, type Picked, readTyped, typedText } from './filter-parser'
import type { Filtering } from './use-filter'

/** As long as a word is being typed it is not looked for. */
const PAUSE_MS = 250

export interface Typing {
  /** What stands in the field. */
  readonly typed: string
  readonly mistake: Mistake | null
  /** A part that was refused stands in the field again. */
  readonly isRefused: boolean
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
  /** The parts that went into the filter from here: one that is refused stands in the field again. */
  readonly picked: readonly Picked[]
  /** Refused ones that are being typed again: the filter has them no more unless they are. */
  readonly retyped: readonly FilterName[]
}

const without = (names: readonly FilterName[]): FilterChanges => Object.fromEntries(names.map((name) => [name, null]))

/**
 * The field above a list: words are looked for after a pause, a whole `name:value` becomes a part of the filter at once.
 * @param refused parts of the filter that mean nothing to the collector.
 */
export function useTyping({ list, filter, change }: Filtering, refused: readonly FilterName[], nowMs: number): Typing {
  const [draft, setDraft] = useState<Draft | null>(null)
  const timer = useRef<number | null>(null)
  const [steps] = useState(() => typingSteps(change))
  const text = filter.text ?? ''
  const isMine = draft !== null && draft.text === text
  const again = isMine ? draft.picked.filter(({ changes }) => isOneOf(changes, refused, filter)) : []
  const own = isMine ? draft.typed : typedText(list, text)
  const typed = again.length === 0 ? own : [...again.map((part) => part.source), own].join(' ').trimEnd()
  // Those that stand in the field are typed on from there.
  const kept = isMine && again.length === 0 ? draft.picked : []
  const retyped = [
    ...(isMine ? draft.retyped : []),
    ...again.flatMap((part) => refused.filter((name) => part.changes[name] !== undefined)),
  ]

  const stop = (): void => {
    if (timer.current !== null) window.clearTimeout(timer.current)
    timer.current = null
  }
  useEffect(() => () => window.clearTimeout(timer.current ?? undefined), [])

  const commit = (value: string, done: boolean): void => {
    stop()
    const read = readTyped(list, value, done, nowMs)
    const say = Object.keys(read.changes).length > 0 ? steps.part : steps.words
    say({ ...without(retyped), ...read.changes, ...(isFilterName(list, 'text') && { text: read.text }) })
    const picked = [...kept, ...read.picked]
    setDraft({ typed: read.rest, text: read.text, done, picked, retyped: [] })
  }
  return {
    typed,
    mistake: readTyped(list, typed, isMine && draft.done, nowMs).mistake,
    isRefused: again.length > 0,
    type: (value) => {
      stop()
      if (!isMine) steps.end()
      if (Object.keys(readTyped(list, value, false, nowMs).changes).length > 0) {
        commit(value, false)
        return
      }
      setDraft({ typed: value, text, done: false, picked: kept, retyped })
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
      change({ ...without(retyped), text: null }, 'step')
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
      setDraft({ typed: typedPart(name, value), text, done: false, picked: [], retyped: [] })
      return true
    },
  }
}

/** Is it still in the filter as it was typed, and refused? */
const isOneOf = (changes: FilterChanges, refused: readonly FilterName[], filter: AnyFilter): boolean =>
  refused.some((name) => changes[name] !== undefined && changes[name] === filter[name])

/** Says another filter in the address. @returns whether the address says anything new by it. */
export type ChangeFilter = (changes: FilterChanges, how: 'soon' | 'step') => boolean

/** Which of the things typed a step back undoes: words that are typed in one go at once, each whole part alone. */
export interface TypingSteps {
  readonly words: (changes: FilterChanges) => void
  readonly part: (changes: FilterChanges) => void
  /** What is typed from here on is another step. */
  readonly end: () => void
}

export function typingSteps(change: ChangeFilter): TypingSteps {
  // Only a step of this go may be replaced: what was in the address before it belongs to the reader.
  let isStepped = false
  return {
    words: (changes) => {
      isStepped = change(changes, isStepped ? 'soon' : 'step') || isStepped
    },
    part: (changes) => {
      change(changes, 'step')
      isStepped = false
    },
    end: () => {
      isStepped = false
    },
  }
}
