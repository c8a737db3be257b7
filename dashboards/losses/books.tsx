import { formatCount } from '../../lib/format'
import type { LedgerRow } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import { type Amount, BOOK_COLUMNS, type BookColumn, inOrder, totalOf } from './book-columns'
import styles from './losses-table.module.css'

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
