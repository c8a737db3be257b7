import { formatCount } from '../../lib/format'
import type { LedgerRow } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import { bandWidths } from './flow-shape'
import { type Amount, inOrder, LEDGER_COLUMNS, type LedgerColumn } from './ledger-columns'
import styles from './ledger-table.module.css'

interface LedgerTableProps {
  readonly rows: readonly LedgerRow[]
  readonly innerSpans: number
  /** The category of the flow. */
  readonly chosen: string | null
}

/** All amounts of each data category, with a bar of where its items are. */
export function LedgerTable({ rows, innerSpans, chosen }: LedgerTableProps) {
  return (
    <Section id="ledger" title="Ledger by data category">
      <div className={styles.fitted}>
        <table className={styles.ledger} aria-labelledby="ledger">
          <thead>
            <tr>
              <th scope="col">Category</th>
              <td />
              {LEDGER_COLUMNS.map(({ amount, name, meaning }) => (
                <th key={amount} scope="col" className={styles.right} title={meaning}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {inOrder(rows).map((row) => (
              <tr key={row.category} data-category={row.category} data-chosen={row.category === chosen}>
                <th scope="row">{printable(row.category)}</th>
                <td className={styles.bar}>
                  <Bar row={row} />
                </td>
                <Amounts of={row} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details className="small">
        <summary>What the columns mean</summary>
        <dl className={styles.legend}>
          {LEDGER_COLUMNS.map(({ amount, name, meaning }) => (
            <div key={amount}>
              <dt>{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p className="soft">
          The equations are in <code>docs/reference/delivery.md</code>, under “Ledger”.
        </p>
      </details>
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
    </Section>
  )
}

const BAR_WIDTH = 80
const BAR_PARTS = ['accepted', 'kept', 'pending', 'notSent', 'lost', 'unexplained'] as const

/** The shares of a category, which stand in its row as numbers. */
function Bar({ row }: { readonly row: LedgerRow }) {
  const widths = bandWidths(
    BAR_PARTS.map((part) => Math.max(0, row[part])),
    BAR_WIDTH,
  )
  return (
    <svg viewBox={`0 0 ${BAR_WIDTH} 8`} width={BAR_WIDTH} height="8" aria-hidden="true">
      {BAR_PARTS.map((part, index) => {
        const width = widths[index] ?? 0
        const from = widths.slice(0, index).reduce((sum, one) => sum + one, 0)
        return width > 0 && <rect key={part} x={from} width={width} height="8" data-part={part} />
      })}
    </svg>
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
