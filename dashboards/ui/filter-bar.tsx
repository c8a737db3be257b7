'use client'

import { type RefObject, useId, useRef } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import type { Choice } from './choices'
import { useNow } from './clock'
import { filterNames } from './filter-address'
import styles from './filter-bar.module.css'
import { FilterNotes } from './filter-notes'
import type { RefusedFilter } from './filter-problems'
import { filterText, filterTexts } from './filter-text'
import { navigate } from './navigation'
import { printable } from './printable'
import type { Filtering } from './use-filter'
import { useTyping } from './use-typing'

interface FilterBarProps {
  readonly noun: string
  readonly filtering: Filtering
  readonly choices: readonly Choice[]
  /** Examples of what can be typed: `text, op:pageload …` */
  readonly hint: string
  readonly refused: RefusedFilter | null
  readonly still: string | null
  readonly traceIds: readonly string[]
  readonly field: RefObject<HTMLInputElement | null>
}

const NO_NAMES: readonly FilterName[] = []

/** A field for text and `name:value`, a control per choice, a chip for each other part, and notes below. */
export function FilterBar({ noun, filtering, choices, hint, refused, still, traceIds, field }: FilterBarProps) {
  const { list, filter, change } = filtering
  const id = useId()
  const nowMs = useNow()
  const typing = useTyping(filtering, refused?.names ?? NO_NAMES, nowMs)
  const { input, mistake } = typing
  // A slash right after Escape is the shortcut to this field, not text.
  const hasEscaped = useRef(false)
  const parts = filterTexts(filterNames(list), filter, nowMs)
  const others = parts.filter(({ name }) => name !== 'text' && choices.every((choice) => choice.name !== name))
  const isRefused = (name: FilterName): boolean => refused?.names.includes(name) ?? false
  const isFieldRefused = refused !== null && (refused.names.length === 0 || isRefused('text') || typing.isRefused)
  const focusField = (): void => field.current?.focus()
  return (
    <search className={styles.bar} aria-label={`Filter ${noun}`}>
      <input
        ref={field}
        className={`field ${styles.field}`}
        type="search"
        aria-label={`Filter ${noun}`}
        aria-describedby={`${id}-notes`}
        aria-invalid={mistake !== null || isFieldRefused || undefined}
        placeholder={hint}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        value={input}
        onChange={(event) => typing.type(event.target.value)}
        onBlur={() => typing.finish()}
        onKeyDown={(event) => {
          if (event.key === '/' && hasEscaped.current && input === '') event.preventDefault()
          hasEscaped.current = event.key === 'Escape' && input !== ''
          if (event.key === 'Enter') typing.finish()
          else if (event.key === 'Backspace' && input === '' && typing.takeBack()) event.preventDefault()
          else if (event.key === 'Escape') {
            event.preventDefault()
            if (input === '') event.currentTarget.blur()
            else typing.clear()
          }
        }}
      />
      {choices.map((choice) => (
        <FilterSelect
          key={choice.name}
          choice={choice}
          value={filter[choice.name]}
          isRefused={isRefused(choice.name)}
          onChange={(name, value) => change({ [name]: value }, 'step')}
        />
      ))}
      {others.map(({ name, text }) => (
        <FilterChip
          key={name}
          name={name}
          text={text}
          isRefused={isRefused(name)}
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
      <FilterNotes
        id={`${id}-notes`}
        filtering={filtering}
        input={input}
        traceIds={traceIds}
        mistake={mistake}
        refused={refused}
        still={still}
        onSuggestion={(source, suggestion) => typing.finish(input.replace(source, () => suggestion))}
      />
    </search>
  )
}

/** How other values are typed, where it is not just the name. */
const TYPED: { readonly [Name in FilterName]?: string } = {
  min_duration: 'duration:>750ms',
  since: 'since:45m, until:10m',
  environment: 'env:…',
}

interface FilterSelectProps {
  readonly choice: Choice
  readonly value: string | undefined
  readonly isRefused: boolean
  readonly onChange: (name: FilterName, value: string | null) => void
}

/** The native select lies invisibly over the text, for its keyboard access, its list and its accessible name. */
function FilterSelect({ choice, value, isRefused, onChange }: FilterSelectProps) {
  const select = useRef<HTMLSelectElement>(null)
  const { name, label, options, open } = choice
  const nowMs = useNow()
  const text = value === undefined ? null : filterText(name, value, nowMs)
  const isListed = value === undefined || options.some((option) => option.value === value)
  return (
    <span className={styles.choice} data-filter={name} data-set={value !== undefined} data-wrong={isRefused}>
      <span className={styles.text} aria-hidden="true">
        {isRefused && 'refused: '}
        {text ?? label}
        {text === null && (
          <svg aria-hidden="true" viewBox="0 0 8 8" width="8" height="8">
            <path d="M1 2.5 4 5.5 7 2.5" />
          </svg>
        )}
      </span>
      <select
        ref={select}
        className={styles.select}
        aria-label={label}
        title={text ?? undefined}
        aria-invalid={isRefused || undefined}
        value={value ?? ''}
        onChange={({ target }) => {
          const elsewhere = options.find((option) => option.value === target.value)?.href
          if (elsewhere === undefined) onChange(name, target.value)
          else navigate(elsewhere)
        }}
      >
        <option value="">any {label.toLowerCase()}</option>
        {!isListed && <option value={value}>{text}</option>}
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
      {text !== null && (
        <RemoveButton
          text={text}
          onRemove={() => {
            onChange(name, null)
            select.current?.focus()
          }}
        />
      )}
    </span>
  )
}

interface FilterChipProps {
  readonly name: FilterName
  readonly text: string
  readonly isRefused: boolean
  readonly onRemove: () => void
}

function FilterChip({ name, text, isRefused, onRemove }: FilterChipProps) {
  return (
    <span className={styles.choice} data-filter={name} data-set="true" data-wrong={isRefused}>
      <bdi className={styles.text} title={text}>
        {isRefused && 'refused: '}
        {text}
      </bdi>
      <RemoveButton text={text} onRemove={onRemove} />
    </span>
  )
}

function RemoveButton({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={`Remove: ${text}`} title="Remove" onClick={onRemove}>
      <svg aria-hidden="true" viewBox="0 0 8 8" width="8" height="8">
        <path d="M1 1l6 6M7 1 1 7" />
      </svg>
    </button>
  )
}
