import type { Storage } from '../../lib/wire/storage'
import ledger from '../ui/ledger.module.css'
import { goneLines } from './gone-lines'
import styles from './section.module.css'

/** What had to go, in all runs of this folder. */
export function Gone({ storage }: { readonly storage: Storage }) {
  return (
    <section className={styles.section} aria-labelledby="gone">
      <h2 id="gone">Gone, ever</h2>
      <table className={ledger.ledger} aria-labelledby="gone">
        <tbody>
          {goneLines(storage).map(({ id, count, name, means, lost }) => (
            <tr key={id} data-gone={id} data-tone={lost ? 'warn' : undefined}>
              <td className="num">{count}</td>
              <th scope="row">{name}</th>
              <td>{means}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
