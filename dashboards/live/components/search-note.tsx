import { formatCount } from '../../words/quantities'
import type { Search } from '../arrange/search-older'
import styles from './live-list-frame.module.css'

interface SearchNoteProps {
  readonly noun: string
  readonly search: Exclude<Search, 'all'>
  readonly shown: number
  readonly loaded: number
  readonly onClear: () => void
}

/** How far the filter has looked, and what it found there. */
export function SearchNote({ noun, search, shown, loaded, onClear }: SearchNoteProps) {
  return (
    <p className={styles.note} role="status">
      {search === 'whole'
        ? `Searched all ${formatCount(loaded)} ${noun} kept here, ${matches(shown)}.`
        : `Searched ${formatCount(loaded)} ${noun}, ${matches(shown)}${search === 'search' ? '; searching older ones …' : '; there are older ones.'}`}{' '}
      <button type="button" className={styles.link} onClick={onClear}>
        Clear the filter
      </button>
    </p>
  )
}

const matches = (count: number): string =>
  count === 0 ? 'none matches' : `${formatCount(count)} ${count === 1 ? 'matches' : 'match'}`
