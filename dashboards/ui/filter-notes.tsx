import styles from './filter-bar.module.css'
import type { Mistake } from './filter-parser'
import { type StrangeName, strangeParams, type WrongFilter } from './filter-problems'
import { changeSearch, useSearch } from './page-address'
import { printable } from './printable'
import { thingTyped } from './typed-id'
import type { Filtering } from './use-filter'

interface FilterSaidProps {
  readonly id: string
  readonly filtering: Filtering
  readonly typed: string
  readonly traceIds: readonly string[]
  readonly mistake: Mistake | null
  readonly refused: WrongFilter | null
  /** What the rows beside a refused filter are; `null` where there are none yet. */
  readonly still: string | null
  readonly onInstead: (source: string, instead: string) => void
}

/** What is to be said of a filter: what was not understood and what may have been meant, each at a press. */
export function FilterSaid(props: FilterSaidProps) {
  const { filtering, mistake, refused, still } = props
  const { list, strange } = filtering
  const thing = thingTyped(list, props.typed, props.traceIds)
  return (
    <div id={props.id} role="status" className={styles.said}>
      {mistake !== null && (
        <p>
          {printable(mistake.sentence)}
          {mistake.instead.map((one) => (
            <Press key={one} words={one} onPress={() => props.onInstead(mistake.source, one)} />
          ))}
        </p>
      )}
      {mistake === null && refused !== null && (
        <p>
          {printable(refused.sentence)}
          <Correction refused={refused} filtering={filtering} />
        </p>
      )}
      {still !== null && <p>{still}</p>}
      <StrangeLines strange={strange} onMend={filtering.mend} />
      {thing !== null && (
        <p>
          This is {thing.is}:{' '}
          {thing.leads.map(({ href, words }) => (
            <a key={href} href={href}>
              open {words}
            </a>
          ))}
        </p>
      )}
    </div>
  )
}

/** The part that was probably meant by the one that was refused. */
export function Correction({ refused, filtering }: { readonly refused: WrongFilter; readonly filtering: Filtering }) {
  const { instead, elsewhere } = refused
  if (elsewhere !== null) return <a href={elsewhere.href}>{elsewhere.words}</a>
  return instead === null ? null : <Press words={instead.typed} onPress={() => filtering.narrow(instead.changes)} />
}

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

function StrangeLines({ strange, onMend }: StrangeLinesProps) {
  return strange.map(({ name, sentence, meant, without }) => (
    <p key={name} data-strange={name}>
      {printable(sentence)}
      {meant !== null && <Press words={meant.typed} onPress={() => onMend(meant.changes)} />}
      <Press words="Leave it out" onPress={() => onMend(without)} />
    </p>
  ))
}

/** What may have been meant instead, at a press. */
function Press({ words, onPress }: { readonly words: string; readonly onPress: () => void }) {
  return (
    <button type="button" className="button" onClick={onPress}>
      {printable(words)}
    </button>
  )
}
