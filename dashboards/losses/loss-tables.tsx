import { formatCount } from '../../lib/format'
import type { LedgerRow, Loss, Losses } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import { type Amount, inOrder, LEDGER_COLUMNS, type LedgerColumn } from './ledger-columns'
import { BY_TEXT, lossReason, lossUnit, lostEnvelopesHref } from './loss-reasons'
import styles from './loss-tables.module.css'

export function LossTable({ losses, stamp }: { readonly losses: readonly Loss[]; readonly stamp: string | null }) {
  return (
    <section className={styles.section} aria-labelledby="lost">
      <h2 id="lost">Losses by cause</h2>
      {losses.length === 0 ? (
        <p className="small soft">No losses.</p>
      ) : (
        <div className={styles.fitted}>
          <table className={styles.why} aria-labelledby="lost">
            <thead>
              <tr>
                <th scope="col" className={styles.right}>
                  Lost
                </th>
                <th scope="col">Category</th>
                <th scope="col">By</th>
                <th scope="col">Reason</th>
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
                    <th scope="row" data-column="Category">
                      {printable(lossUnit(loss))}
                    </th>
                    <td data-column="By" title={BY_TEXT[by].meaning}>
                      {BY_TEXT[by].word}
                    </td>
                    <td data-column="Reason">
                      {printable(lossReason(loss))} <code className="faint">{printable(reason)}</code>
                    </td>
                    <td className={styles.where} data-column="Envelopes">
                      {href === null ? (
                        <span className="faint" title="It was never stored here.">
                          none
                        </span>
                      ) : (
                        <a
                          href={href}
                          aria-label={`stored ones: envelopes with this loss of ${printable(lossUnit(loss))}`}
                        >
                          stored ones
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
              <dt>{BY_TEXT[by].word}</dt>
              <dd>{BY_TEXT[by].meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** Items that the program chose not to send, by reason. */
export function NotSent({ notSent }: Pick<Losses, 'notSent'>) {
  if (notSent.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="not-sent">
      <h2 id="not-sent">Not sent by choice</h2>
      <p className="small soft">The program sampled or filtered these items itself. They are not lost.</p>
      <ul className={styles.chosen}>
        {notSent.map(({ reason, category, quantity }) => (
          <li key={`${reason} ${category}`} data-not-sent={reason}>
            <span className="num">{formatCount(quantity)}</span> {printable(category)}:{' '}
            {printable(lossReason({ by: 'sdk', reason }))} <code className="faint">{printable(reason)}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function LedgerTable({
  rows,
  innerSpans,
}: {
  readonly rows: readonly LedgerRow[]
  readonly innerSpans: number
}) {
  return (
    <section className={styles.section} aria-labelledby="ledger">
      <h2 id="ledger">Ledger by data category</h2>
      <div className={styles.fitted}>
        <table className={styles.ledger} aria-labelledby="ledger">
          <thead>
            <tr>
              <th scope="col">Category</th>
              {LEDGER_COLUMNS.map(({ amount, name, meaning }) => (
                <th key={amount} scope="col" className={styles.right} title={meaning}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {inOrder(rows).map((row) => (
              <tr key={row.category} data-category={row.category} data-wrong={row.unexplained !== 0}>
                <th scope="row">{printable(row.category)}</th>
                <Amounts of={row} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className={styles.legend}>
        {LEDGER_COLUMNS.map(({ amount, name, meaning }) => (
          <div key={amount}>
            <dt>{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className="small soft">
        made = accepted + kept + pending + not sent by choice + lost + unexplained. There is no sum of all categories,
        because each counts in a unit of its own. Client reports (category internal) are not telemetry.
      </p>
      {innerSpans > 0 && (
        <p className="small soft" data-inner-spans={innerSpans}>
          The transactions that are stored here contain {formatCount(innerSpans)} {innerSpans === 1 ? 'span' : 'spans'}.
          They are no part of the balance: a received transaction counts only as a transaction, but an SDK that loses
          one also counts its spans.
        </p>
      )}
    </section>
  )
}

function Amounts({ of }: { readonly of: Readonly<Record<Amount, number>> }) {
  return LEDGER_COLUMNS.map((column) => <AmountCell key={column.amount} column={column} quantity={of[column.amount]} />)
}

function AmountCell({ column, quantity }: { readonly column: LedgerColumn; readonly quantity: number }) {
  const { amount, side, name, meaning } = column
  const isWrong = side === 'wrong' && quantity !== 0
  return (
    <td
      className={`num ${styles.right}`}
      data-amount={amount}
      data-column={name}
      data-side={quantity === 0 ? 'none' : side}
      title={`${name}: ${meaning}`}
    >
      {isWrong ? `✕ ${formatCount(quantity)} unexplained` : formatCount(quantity)}
    </td>
  )
}
