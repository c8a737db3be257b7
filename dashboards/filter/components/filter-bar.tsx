'use client'

import { type RefObject, useId, useRef } from 'react'
import { useNow } from '../../live/load/use-now'
import { printable } from '../../words/printable'
import type { Choice } from '../arrange/choices'
import { filterNames } from '../arrange/filter-of-list'
import { allFilterWords } from '../arrange/filter-words'
import { thingTyped } from '../arrange/thing-typed'
import { readWrong } from '../arrange/wrong-filter'
import type { Filtering } from '../url/use-filter'
import { useTyping } from '../url/use-typing'
import styles from './filter-bar.module.css'
import { FilterChip } from './filter-chip'
import { FilterSelect } from './filter-select'

interface FilterBarProps {
  readonly noun: string
  readonly filtering: Filtering
  readonly choices: readonly Choice[]
  /** What can be typed here: `name, op:pageload …` */
  readonly hint: string
  /** What the collector says of a filter that means nothing to it. */
  readonly wrong: string | null
  readonly field: RefObject<HTMLInputElement | null>
}

/** By what a list is narrowed: a field for words and `name:value`, a control for each thing, and what is set, in words. */
export function FilterBar({ noun, filtering, choices, hint, wrong, field }: FilterBarProps) {
  const { list, filter, change } = filtering
  const id = useId()
  const nowMs = useNow()
  const typing = useTyping(filtering, nowMs)
  const { typed, mistake } = typing
  // A slash right after Escape is the key that leads here, and no beginning of a word.
  const hasEscaped = useRef(false)
  const parts = allFilterWords(filterNames(list), filter, nowMs)
  const others = parts.filter(({ name }) => name !== 'text' && choices.every((choice) => choice.name !== name))
  const refused = wrong === null ? null : readWrong(list, wrong)
  const instead = refused?.instead ?? null
  const isOfWords = refused !== null && (refused.name === null || refused.name === 'text')
  const thing = thingTyped(list, typed)
  const focusField = (): void => field.current?.focus()
  return (
    <search className={styles.bar} aria-label={`Narrow the ${noun}`}>
      <input
        ref={field}
        className={`field ${styles.field}`}
        type="search"
        aria-label={`Filter ${noun}`}
        aria-describedby={`${id}-said`}
        aria-invalid={mistake !== null || isOfWords || undefined}
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
          isWrong={refused?.name === choice.name}
          onChange={(name, value) => change({ [name]: value }, 'step')}
        />
      ))}
      {others.map(({ name, words }) => (
        <FilterChip
          key={name}
          name={name}
          words={words}
          isWrong={refused?.name === name}
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
      <div id={`${id}-said`} role="status" className={styles.said}>
        {mistake !== null && (
          <p>
            {printable(mistake.sentence)}
            {mistake.instead.map((one) => (
              <button
                key={one}
                type="button"
                className="button"
                onClick={() => typing.finish(typed.replace(mistake.source, () => one))}
              >
                {printable(one)}
              </button>
            ))}
          </p>
        )}
        {mistake === null && refused !== null && (
          <p>
            {printable(refused.sentence)}
            {refused.name !== null && instead !== null && (
              <button
                type="button"
                className="button"
                onClick={() => refused.name !== null && change({ [refused.name]: instead }, 'step')}
              >
                {refused.name}:{instead}
              </button>
            )}
          </p>
        )}
        {thing !== null && (
          <p>
            This is an id: <a href={thing.href}>open {thing.words}</a>
          </p>
        )}
      </div>
    </search>
  )
}
