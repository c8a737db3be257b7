'use client'

import styles from './filter-bar.module.css'
import { Press } from './press'
import { printable } from './printable'
import { changeSearch } from './search'
import { type StrangeName, strangeParams } from './strange-names'
import { useSearch } from './use-search-param'

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
