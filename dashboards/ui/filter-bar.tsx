'use client'

import { type RefObject, useId, useRef } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import type { Choice } from './choices'
import { useNow } from './clock'
import { filterNames } from './filter-address'
import styles from './filter-bar.module.css'
import { FilterSaid } from './filter-notes'
import type { WrongFilter } from './filter-problems'
import { allFilterWords, filterWords } from './filter-text'
import { printable } from './printable'
import type { Filtering } from './use-filter'
import { useTyping } from './use-typing'

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

interface FilterChipProps {
  readonly name: FilterName
  readonly words: string
  readonly isWrong: boolean
  readonly onRemove: () => void
}

/** A part of the filter that has no control of its own. */
function FilterChip({ name, words, isWrong, onRemove }: FilterChipProps) {
  return (
    <span className={styles.choice} data-filter={name} data-set="true" data-wrong={isWrong}>
      <bdi className={styles.words} title={words}>
        {isWrong && 'refused: '}
        {words}
      </bdi>
      <RemoveButton words={words} onRemove={onRemove} />
    </span>
  )
}

function RemoveButton({ words, onRemove }: { readonly words: string; readonly onRemove: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={`Remove: ${words}`} title="Remove" onClick={onRemove}>
      <svg aria-hidden="true" viewBox="0 0 8 8" width="8" height="8">
        <path d="M1 1l6 6M7 1 1 7" />
      </svg>
    </button>
  )
}

interface FilterSelectProps {
  readonly choice: Choice
  readonly value: string | undefined
  readonly isWrong: boolean
  readonly onChange: (name: FilterName, value: string | null) => void
}

/**
 * One thing to narrow by: its name while nothing is chosen, then what is chosen, in words, and a way to take it off. The
 * browser's own select lies over the words: it brings its keys, its list and its name.
 */
function FilterSelect({ choice, value, isWrong, onChange }: FilterSelectProps) {
  const select = useRef<HTMLSelectElement>(null)
  const { name, label, options, open } = choice
  const nowMs = useNow()
  const words = value === undefined ? null : filterWords(name, value, nowMs)
  const isListed = value === undefined || options.some((option) => option.value === value)
  return (
    <span className={styles.choice} data-filter={name} data-set={value !== undefined} data-wrong={isWrong}>
      <span className={styles.words} aria-hidden="true">
        {isWrong && 'refused: '}
        {words ?? label}
        {words === null && (
          <svg aria-hidden="true" viewBox="0 0 8 8" width="8" height="8">
            <path d="M1 2.5 4 5.5 7 2.5" />
          </svg>
        )}
      </span>
      <select
        ref={select}
        className={styles.select}
        aria-label={label}
        title={words ?? undefined}
        aria-invalid={isWrong || undefined}
        value={value ?? ''}
        onChange={({ target }) => {
          const elsewhere = options.find((option) => option.value === target.value)?.href
          if (elsewhere === undefined) onChange(name, target.value)
          else window.location.assign(elsewhere)
        }}
      >
        <option value="">any {label.toLowerCase()}</option>
        {!isListed && <option value={value}>{words}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {printable(option.label)}
          </option>
        ))}
        {open && (
          <option disabled value="…">
            others: type {TYPED[name] ?? `${name}:…`}
          </option>
        )}
      </select>
      {words !== null && (
        <RemoveButton
          words={words}
          onRemove={() => {
            onChange(name, null)
            select.current?.focus()
          }}
        />
      )}
    </span>
  )
}

/** How other values are typed, where that is not plainly the name. */
const TYPED: { readonly [Name in FilterName]?: string } = {
  min_duration: 'duration:>750ms',
  since: 'since:45m, until:10m',
  environment: 'env:…',
}
