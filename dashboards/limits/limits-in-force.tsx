import { DeliveryStatusGlyph } from '../ui/delivery-status-mark'
import { Received } from '../ui/received'
import table from '../ui/tables.module.css'
import { formatMoment } from '../ui/times'
import { LIMIT_HEADS, LimitCells } from './limit-cells'
import type { LimitLine } from './limit-lines'
import styles from './limits-board.module.css'

/** What upstreams limit just now, each with its running clock. */
export function LimitsInForce({ lines }: { readonly lines: readonly LimitLine[] }) {
  return (
    <section className={styles.section} aria-labelledby="in-force">
      <h2 id="in-force">In force</h2>
      {lines.length === 0 ? (
        <p className="small soft">Nothing is limited just now.</p>
      ) : (
        <table className={table.table} aria-labelledby="in-force">
          <thead>
            <tr>
              <th scope="col">Category</th>
              <th scope="col">Ends in</th>
              {LIMIT_HEADS}
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => {
              const { limit, left } = line
              return (
                <tr key={`${limit.upstream} ${limit.category}`} data-limit={limit.category}>
                  <th scope="row" data-column="Category">
                    <span>
                      <DeliveryStatusGlyph name="rate_limited" /> <Received className="mono" text={limit.category} />
                    </span>
                  </th>
                  <td data-column="Ends in" className={`num ${styles.clock}`} title={formatMoment(limit.until)}>
                    <span data-clock>{left}</span>
                  </td>
                  <LimitCells line={line} />
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
