import type { SignalKind } from '../../../lib/protocol/signal-kind'
import empty from '../../shared/empty-list.module.css'
import { printable } from '../../words/printable'
import { kindWords } from '../arrange/signal-kinds'
import { signalsHref } from '../url/signals-address'
import styles from './no-kind.module.css'

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
