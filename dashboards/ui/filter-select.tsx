'use client'

import { useRef } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import type { Choice } from './choices'
import styles from './filter-bar.module.css'
import { RemoveButton } from './filter-chip'
import { filterWords } from './filter-words'
import { printable } from './printable'
import { useNow } from './use-now'

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
export function FilterSelect({ choice, value, isWrong, onChange }: FilterSelectProps) {
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
