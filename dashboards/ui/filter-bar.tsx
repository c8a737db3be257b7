'use client'

import { type RefObject, useId, useRef } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import type { Choice } from './choices'
import styles from './filter-bar.module.css'
import { FilterChip } from './filter-chip'
import { filterNames } from './filter-of-list'
import { FilterSaid } from './filter-said'
import { FilterSelect } from './filter-select'
import { allFilterWords } from './filter-words'
import type { Filtering } from './use-filter'
import { useNow } from './use-now'
import { useTyping } from './use-typing'
import type { WrongFilter } from './wrong-filter'

interface FilterBarProps {
  readonly noun: string
  readonly filtering: Filtering
  readonly choices: readonly Choice[]
  /** What can be typed here: `name, op:pageload …` */
  readonly hint: string
  /** What the collector says of a filter that means nothing to it. */
  readonly refused: WrongFilter | null
  /** What the rows beside a refused filter are; `null` before there are any. */
  readonly still: string | null
  /** Of the rows that were shown. */
  readonly traceIds: readonly string[]
  readonly field: RefObject<HTMLInputElement | null>
}

const NO_NAMES: readonly FilterName[] = []

/** By what a list is narrowed: a field for words and `name:value`, a control for each thing, and what is set, in words. */
export function FilterBar({ noun, filtering, choices, hint, refused, still, traceIds, field }: FilterBarProps) {
  const { list, filter, change } = filtering
  const id = useId()
  const nowMs = useNow()
  const typing = useTyping(filtering, refused?.names ?? NO_NAMES, nowMs)
  const { typed, mistake } = typing
  // A slash right after Escape is the key that leads here, and no beginning of a word.
  const hasEscaped = useRef(false)
  const parts = allFilterWords(filterNames(list), filter, nowMs)
  const others = parts.filter(({ name }) => name !== 'text' && choices.every((choice) => choice.name !== name))
  const isRefused = (name: FilterName): boolean => refused?.names.includes(name) ?? false
  const isOfField = refused !== null && (refused.names.length === 0 || isRefused('text') || typing.isRefused)
  const focusField = (): void => field.current?.focus()
  return (
    <search className={styles.bar} aria-label={`Narrow the ${noun}`}>
      <input
        ref={field}
        className={`field ${styles.field}`}
        type="search"
        aria-label={`Filter ${noun}`}
        aria-describedby={`${id}-said`}
        aria-invalid={mistake !== null || isOfField || undefined}
        placeholder={hint}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        value={typed}
        onChange={(event) => typing.type(event.target.value)}
        onBlur={() => typing.finish()}
        onKeyDown={(event) => {
          if (event.key === '/' && hasEscaped.current && typed === '') event.preventDefault()
          hasEscaped.current = event.key === 'Escape' && typed !== ''
          if (event.key === 'Enter') typing.finish()
          else if (event.key === 'Backspace' && typed === '' && typing.takeBack()) event.preventDefault()
          else if (event.key === 'Escape') {
            event.preventDefault()
            if (typed === '') event.currentTarget.blur()
            else typing.clear()
          }
        }}
      />
      {choices.map((choice) => (
        <FilterSelect
          key={choice.name}
          choice={choice}
          value={filter[choice.name]}
          isWrong={isRefused(choice.name)}
          onChange={(name, value) => change({ [name]: value }, 'step')}
        />
      ))}
      {others.map(({ name, words }) => (
        <FilterChip
          key={name}
          name={name}
          words={words}
          isWrong={isRefused(name)}
          onRemove={() => {
            change({ [name]: null }, 'step')
            focusField()
          }}
        />
      ))}
      {parts.length > 1 && (
        <button
          type="button"
          className={styles.clear}
          onClick={() => {
            typing.forget()
            filtering.clear()
            focusField()
          }}
        >
          Clear all
        </button>
      )}
      <FilterSaid
        id={`${id}-said`}
        filtering={filtering}
        typed={typed}
        traceIds={traceIds}
        mistake={mistake}
        refused={refused}
        still={still}
        onInstead={(source, instead) => typing.finish(typed.replace(source, () => instead))}
      />
    </search>
  )
}
