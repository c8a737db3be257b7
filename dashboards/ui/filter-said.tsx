import type { Mistake } from './asked'
import styles from './filter-bar.module.css'
import { Press } from './press'
import { printable } from './printable'
import { StrangeLines } from './strange-said'
import { thingTyped } from './thing-typed'
import type { Filtering } from './use-filter'
import type { WrongFilter } from './wrong-filter'

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
