import { printable } from '../../words/printable'
import type { Mistake } from '../arrange/asked'
import { thingTyped } from '../arrange/thing-typed'
import type { WrongFilter } from '../arrange/wrong-filter'
import type { Filtering } from '../url/use-filter'
import styles from './filter-bar.module.css'
import { Press } from './press'
import { StrangeLines } from './strange-said'

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
