'use client'

import { changeSearch } from '../../address/search'
import { useSearch } from '../../address/use-search-param'
import { printable } from '../../words/printable'
import { type StrangeName, strangeParams } from '../url/strange-names'
import styles from './filter-bar.module.css'
import { Press } from './press'

interface StrangeSaidProps {
  /** As the heading calls the page. */
  readonly page: string
  /** The parameters that it reads; the same array each time. */
  readonly known: readonly string[]
}

/** What an address asks of a page that is no list, and that the page does not know. */
export function StrangeSaid({ page, known }: StrangeSaidProps) {
  const search = useSearch()
  const strange = search === null ? [] : strangeParams(page, known, search)
  return (
    <div role="status" className={styles.said}>
      <StrangeLines strange={strange} onMend={(changes) => changeSearch(changes, 'step')} />
    </div>
  )
}

interface StrangeLinesProps {
  readonly strange: readonly StrangeName[]
  readonly onMend: (changes: StrangeName['without']) => void
}

export function StrangeLines({ strange, onMend }: StrangeLinesProps) {
  return strange.map(({ name, sentence, meant, without }) => (
    <p key={name} data-strange={name}>
      {printable(sentence)}
      {meant !== null && <Press words={meant.typed} onPress={() => onMend(meant.changes)} />}
      <Press words="Leave it out" onPress={() => onMend(without)} />
    </p>
  ))
}
