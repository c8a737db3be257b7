import type { FilterName } from '../../lib/wire/filter'
import styles from './filter-bar.module.css'

interface FilterChipProps {
  readonly name: FilterName
  readonly words: string
  readonly isWrong: boolean
  readonly onRemove: () => void
}

/** A part of the filter that has no control of its own. */
export function FilterChip({ name, words, isWrong, onRemove }: FilterChipProps) {
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

export function RemoveButton({ words, onRemove }: { readonly words: string; readonly onRemove: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={`Remove: ${words}`} title="Remove" onClick={onRemove}>
      <svg aria-hidden="true" viewBox="0 0 8 8" width="8" height="8">
        <path d="M1 1l6 6M7 1 1 7" />
      </svg>
    </button>
  )
}
