import type { ReactNode } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import type { FilterChanges } from './filter-address'
import { filterWords } from './filter-text'
import styles from './list-table.module.css'

export type Narrow = (changes: FilterChanges) => void

interface NarrowButtonProps {
  readonly name: FilterName
  readonly value: string
  readonly onNarrow: Narrow
  readonly children: ReactNode
}

/**
 * A value in a row that narrows the list to it. Not a stop for Tab: a list of them would be hundreds, and the control above
 * the list does the same by keyboard.
 */
export function NarrowButton({ name, value, onNarrow, children }: NarrowButtonProps) {
  const words = `Only where ${filterWords(name, value, 0)}`
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.narrow}
      aria-label={words}
      title={words}
      onClick={() => onNarrow({ [name]: value })}
    >
      {children}
    </button>
  )
}
