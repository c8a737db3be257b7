import { formatDurationMs } from '../../lib/format'
import { Age } from '../ui/clock'
import { Received } from '../ui/received'
import table from '../ui/tables.module.css'
import { LIMIT_HEADS, LimitCells } from './limit-cells'
import type { LimitLine } from './limit-lines'
import styles from './limits-board.module.css'

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
            {LIMIT_HEADS}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => {
            const { limit } = line
            return (
              <tr key={`${limit.upstream} ${limit.category} ${limit.receivedAt}`} data-ended={limit.category}>
                <th scope="row" data-column="Category">
                  <Received className="mono" text={limit.category} />
                </th>
                <td data-column="Ended">
                  <span>
                    <Age atMs={limit.until} ago />{' '}
                    <span className="faint num">after {formatDurationMs(limit.until - limit.receivedAt)}</span>
                  </span>
                </td>
                <LimitCells line={line} />
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
