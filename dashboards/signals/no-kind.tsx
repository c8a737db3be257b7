import type { SignalKind } from '../../lib/protocol/items/signal'
import empty from '../ui/board.module.css'
import { signalsHref } from '../ui/links'
import { printable } from '../ui/printable'
import styles from './no-kind.module.css'
import { kindWords } from './signal-kinds'

/** An address that names a kind which there is not says so, and what may have been meant. */
export function NoKind({ named, nearest }: { readonly named: string; readonly nearest: SignalKind }) {
  return (
    <div className={`${empty.none} ${styles.place}`}>
      <h1>There is no such kind of signal</h1>
      <p>
        The address names <code>{printable(named.slice(0, 80))}</code>. Did you mean{' '}
        <a href={signalsHref(nearest)}>{kindWords(nearest).name.toLowerCase()}</a> (<code>{nearest}</code>)? All kinds
        stand above.
      </p>
    </div>
  )
}
