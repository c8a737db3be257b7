import { Age } from '../../shared/age'
import table from '../../shared/plain-table.module.css'
import { Received } from '../../shared/received'
import { formatDuration } from '../../words/quantities'
import type { LimitLine } from '../arrange/limit-lines'
import { CutHere } from './cut-here'
import styles from './limits-board.module.css'
import { ToldBy } from './told-by'

/** Limits that have ended, the last first. */
export function LimitsOver({ lines }: { readonly lines: readonly LimitLine[] }) {
  if (lines.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="ended">
      <h2 id="ended">Ended</h2>
      <table className={table.table} aria-labelledby="ended">
        <thead>
          <tr>
            <th scope="col">Category</th>
            <th scope="col">Ended</th>
            <th scope="col">By</th>
            <th scope="col">Why</th>
            <th scope="col">Told by</th>
            <th scope="col">Cut here meanwhile</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => {
            const { limit, by, why } = line
            return (
              <tr key={`${limit.upstream} ${limit.category} ${limit.toldAt}`} data-ended={limit.category}>
                <th scope="row" data-column="Category">
                  <Received className="mono" text={limit.category} />
                </th>
                <td data-column="Ended">
                  <span>
                    <Age atMs={limit.until} ago />{' '}
                    <span className="faint num">after {formatDuration((limit.until - limit.toldAt) * 1000)}</span>
                  </span>
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
    </section>
  )
}
