import { FateGlyph } from '../../shared/fate-mark'
import table from '../../shared/plain-table.module.css'
import { Received } from '../../shared/received'
import { formatMoment } from '../../words/times'
import type { LimitLine } from '../arrange/limit-lines'
import { CutHere } from './cut-here'
import styles from './limits-board.module.css'
import { ToldBy } from './told-by'

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
              <th scope="col">By</th>
              <th scope="col">Why</th>
              <th scope="col">Told by</th>
              <th scope="col">Cut here meanwhile</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => {
              const { limit, left, by, why } = line
              return (
                <tr key={`${limit.upstream} ${limit.category}`} data-limit={limit.category}>
                  <th scope="row" data-column="Category">
                    <span>
                      <FateGlyph name="rate_limited" /> <Received className="mono" text={limit.category} />
                    </span>
                  </th>
                  <td data-column="Ends in" className={`num ${styles.clock}`} title={formatMoment(limit.until)}>
                    <span data-clock>{left}</span>
                  </td>
                  <td data-column="By">
                    <bdi>{by}</bdi>
                  </td>
                  <td data-column="Why">
                    <bdi>{why}</bdi>
                  </td>
                  <td data-column="Told by">
                    <ToldBy limit={limit} />
                  </td>
                  <td data-column="Cut here" className="num" data-cut={limit.cut}>
                    <CutHere line={line} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
