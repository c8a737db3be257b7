import { formatCount } from '../../lib/format'
import type { LedgerRow, Loss } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import { type Amount, BOOK_COLUMNS, type BookColumn, inOrder, totalOf } from './ledger-columns'
import { BY_TEXT, lossReason, lossUnit, lostEnvelopesHref } from './loss-reasons'
import styles from './loss-tables.module.css'

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
                    <td data-column="By" title={BY_TEXT[by].means}>
                      {BY_TEXT[by].word}
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
              <dt>{BY_TEXT[by].word}</dt>
              <dd>{BY_TEXT[by].means}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** A book per data category, in quantities, and their sum; what each number counts stands below. */
export function Books({ books }: { readonly books: readonly LedgerRow[] }) {
  return (
    <section className={styles.section} aria-labelledby="books">
      <h2 id="books">The books, per data category</h2>
      <div className={styles.scroll}>
        <table className={styles.books} aria-labelledby="books">
          <thead>
            <tr>
              <th scope="col">Category</th>
              {BOOK_COLUMNS.map(({ amount, name, means }) => (
                <th key={amount} scope="col" className={styles.right} title={means}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {inOrder(books).map((book) => (
              <tr key={book.category} data-book={book.category} data-wrong={book.unexplained !== 0}>
                <th scope="row">{printable(book.category)}</th>
                <Amounts of={book} />
              </tr>
            ))}
          </tbody>
          {books.length > 1 && (
            <tfoot>
              <tr data-book="">
                <th scope="row">all</th>
                <Amounts of={totalOf(books)} />
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      <dl className={styles.legend}>
        {BOOK_COLUMNS.map(({ amount, name, means }) => (
          <div key={amount}>
            <dt>{name}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p className="small soft">
        made = discarded + received, and received = pending + accepted + kept + filtered + rate limited + invalid +
        overflow + expired + dropped + unexplained. What is internal are client reports: they tell of losses and are
        nothing that was made, so that neither the account nor the sum of all counts them.
      </p>
    </section>
  )
}

function Amounts({ of }: { readonly of: Readonly<Record<Amount, number>> }) {
  return BOOK_COLUMNS.map((column) => <AmountCell key={column.amount} column={column} quantity={of[column.amount]} />)
}

function AmountCell({ column, quantity }: { readonly column: BookColumn; readonly quantity: number }) {
  const { amount, side, name, means } = column
  const isWrong = side === 'wrong' && quantity !== 0
  return (
    <td
      className={`num ${styles.right}`}
      data-amount={amount}
      data-column={name}
      data-side={quantity === 0 ? 'none' : side}
      title={`${name}: ${means}`}
    >
      {isWrong ? `✕ ${formatCount(quantity)} unexplained` : formatCount(quantity)}
    </td>
  )
}
