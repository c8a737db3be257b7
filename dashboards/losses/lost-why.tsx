import { formatCount } from '../../lib/format'
import type { Loss } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import { BY_WORDS, lossReason, lossUnit } from './loss-words'
import styles from './losses-table.module.css'
import { lostEnvelopesHref } from './lost-envelopes'

interface LostWhyProps {
  readonly losses: readonly Loss[]
  /** Whose; `null` for everybody's. */
  readonly stamp: string | null
}

/** Who lost it and why, the largest first, and the way to the envelopes it was in. */
export function LostWhy({ losses, stamp }: LostWhyProps) {
  return (
    <section className={styles.section} aria-labelledby="lost">
      <h2 id="lost">Lost, and why</h2>
      {losses.length === 0 ? (
        <p className="small soft">Nothing was lost.</p>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.why} aria-labelledby="lost">
            <thead>
              <tr>
                <th scope="col" className={styles.right}>
                  Lost
                </th>
                <th scope="col">Of</th>
                <th scope="col">By</th>
                <th scope="col">Why</th>
                <th scope="col">Envelopes</th>
              </tr>
            </thead>
            <tbody>
              {losses.map((loss) => {
                const { by, reason, category, quantity } = loss
                const href = lostEnvelopesHref(loss, stamp)
                return (
                  <tr key={`${by} ${reason} ${category}`} data-loss={reason} data-by={by}>
                    <td className={`num ${styles.right}`} data-column="Lost">
                      {formatCount(quantity)}
                    </td>
                    <th scope="row" data-column="Of">
                      {printable(lossUnit(loss))}
                    </th>
                    <td data-column="By" title={BY_WORDS[by].means}>
                      {BY_WORDS[by].word}
                    </td>
                    <td data-column="Why">
                      {printable(lossReason(loss))} <code className="faint">{printable(reason)}</code>
                    </td>
                    <td className={styles.where} data-column="Envelopes">
                      {href === null ? (
                        <span className="faint" title="It never became a record here.">
                          none
                        </span>
                      ) : (
                        <a href={href} aria-label={`Envelopes of which ${printable(lossUnit(loss))} was lost so`}>
                          those kept
                        </a>
                      )}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {losses.length > 0 && (
        <dl className={styles.legend}>
          {[...new Set(losses.map(({ by }) => by))].map((by) => (
            <div key={by}>
              <dt>{BY_WORDS[by].word}</dt>
              <dd>{BY_WORDS[by].means}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
