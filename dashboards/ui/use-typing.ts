'use client'

import { useEffect, useRef, useState } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import { type AnyFilter, type FilterChanges, filterNames, isFilterName } from './filter-address'
import { formatPart, type Mistake, type ParsedPart, parseInput, quoteText } from './filter-parser'
import type { ChangeFilter, Filtering } from './use-filter'

/** Search words are applied after this pause in typing. */
const PAUSE_MS = 250

interface Typing {
  readonly input: string
  readonly mistake: Mistake | null
  readonly isRefused: boolean
  readonly type: (input: string) => void
  /** Applies the input, or the given text instead of it. */
  readonly finish: (input?: string) => void
  readonly clear: () => void
  readonly forget: () => void
  /** Moves the last part of the filter back into the field. Returns whether there was one. */
  readonly takeBack: () => boolean
}

interface Draft {
  readonly input: string
  /** The search words in the filter when this was typed. If they change elsewhere, the draft is discarded. */
  readonly text: string
  readonly done: boolean
  /** The parts that were applied from this field: a refused one returns to it. */
  readonly parts: readonly ParsedPart[]
  /** Refused parts that are being edited: the filter drops them unless they are typed again. */
  readonly retyped: readonly FilterName[]
}

const without = (names: readonly FilterName[]): FilterChanges => Object.fromEntries(names.map((name) => [name, null]))

/** The field above a list. Applies search words after a pause, a complete `name:value` at once. */
export function useTyping({ list, filter, change }: Filtering, refused: readonly FilterName[], nowMs: number): Typing {
  const [draft, setDraft] = useState<Draft | null>(null)
  const timer = useRef<number | null>(null)
  const [steps] = useState(() => typingSteps(change))
  const text = filter.text ?? ''
  const isCurrent = draft !== null && draft.text === text
  const returned = isCurrent ? draft.parts.filter(({ changes }) => isRefusedPart(changes, refused, filter)) : []
  const own = isCurrent ? draft.input : quoteText(list, text)
  const input = returned.length === 0 ? own : [...returned.map((part) => part.source), own].join(' ').trimEnd()
  // Parts that returned to the field are edited there.
  const kept = isCurrent && returned.length === 0 ? draft.parts : []
  const retyped = [
    ...(isCurrent ? draft.retyped : []),
    ...returned.flatMap((part) => refused.filter((name) => part.changes[name] !== undefined)),
  ]

  const stop = (): void => {
    if (timer.current !== null) window.clearTimeout(timer.current)
    timer.current = null
  }
  useEffect(() => () => window.clearTimeout(timer.current ?? undefined), [])

  const commit = (value: string, done: boolean): void => {
    stop()
    const parsed = parseInput(list, value, done, nowMs)
    const apply = Object.keys(parsed.changes).length > 0 ? steps.part : steps.words
    apply({ ...without(retyped), ...parsed.changes, ...(isFilterName(list, 'text') && { text: parsed.text }) })
    setDraft({ input: parsed.rest, text: parsed.text, done, parts: [...kept, ...parsed.parts], retyped: [] })
  }
  return {
    input,
    mistake: parseInput(list, input, isCurrent && draft.done, nowMs).mistake,
    isRefused: returned.length > 0,
    type: (value) => {
      stop()
      if (!isCurrent) steps.end()
      if (Object.keys(parseInput(list, value, false, nowMs).changes).length > 0) {
        commit(value, false)
        return
      }
      setDraft({ input: value, text, done: false, parts: kept, retyped })
      timer.current = window.setTimeout(() => commit(value, false), PAUSE_MS)
    },
    finish: (value) => {
      // Text that came from the address stays as it is.
      if (value !== undefined || isCurrent) commit(value ?? input, true)
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
      setDraft({ input: formatPart(name, value), text, done: false, parts: [], retyped: [] })
      return true
    },
  }
}

/** Whether the part is still in the filter as it was typed, and refused. */
const isRefusedPart = (changes: FilterChanges, refused: readonly FilterName[], filter: AnyFilter): boolean =>
  refused.some((name) => changes[name] !== undefined && changes[name] === filter[name])

/** Groups typing into history steps: consecutive words are one step, each complete part is its own. */
interface TypingSteps {
  readonly words: (changes: FilterChanges) => void
  readonly part: (changes: FilterChanges) => void
  readonly end: () => void
}

export function typingSteps(change: ChangeFilter): TypingSteps {
  // Only a step of the same typing may be replaced; earlier history entries belong to the reader.
  let hasStep = false
  return {
    words: (changes) => {
      hasStep = change(changes, hasStep ? 'soon' : 'step') || hasStep
    },
    part: (changes) => {
      change(changes, 'step')
      hasStep = false
    },
    end: () => {
      hasStep = false
    },
  }
}
