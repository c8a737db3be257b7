import { formatDurationMs } from '../../lib/format'
import type { Limit } from '../../lib/wire/limits'
import { TableHead } from '../ui/board'
import { Age } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import table from '../ui/plain-table.module.css'
import { Received } from '../ui/received'
import { Section } from '../ui/section'
import { formatDateTime } from '../ui/times'
import type { LimitLine } from './limit-lines'
import styles from './limits-board.module.css'

export function LimitsInForce({ lines }: { readonly lines: readonly LimitLine[] }) {
  return (
    <Section id="in-force" title="In force">
      {lines.length === 0 ? (
        <p className="small soft">No limit is in force.</p>
      ) : (
        <table className={table.table} aria-labelledby="in-force">
          <TableHead columns={['Category', 'Ends in', ...LIMIT_COLUMNS]} />
          <tbody>
            {lines.map((line) => {
              const { limit, left } = line
              return (
                <tr key={`${limit.upstream} ${limit.category}`} data-limit={limit.category}>
                  <th scope="row" data-column="Category">
                    <span>
                      <Glyph name="rate_limited" /> <Received className="mono" text={limit.category} />
                    </span>
                  </th>
                  <td data-column="Ends in" className={`num ${styles.clock}`} title={formatDateTime(limit.until)}>
                    <span data-clock>{left}</span>
                  </td>
                  <LimitCells line={line} />
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Section>
  )
}

export function LimitsOver({ lines }: { readonly lines: readonly LimitLine[] }) {
  if (lines.length === 0) return null
  return (
    <Section id="ended" title="Ended">
      <table className={table.table} aria-labelledby="ended">
        <TableHead columns={['Category', 'Ended', ...LIMIT_COLUMNS]} />
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
    </Section>
  )
}

const LIMIT_COLUMNS = ['By', 'Why', 'Received with', 'Cut here'] as const

function LimitCells({ line }: { readonly line: LimitLine }) {
  return (
    <>
      <td data-column="By">
        <bdi>{line.by}</bdi>
      </td>
      <td data-column="Why">
        <bdi>{line.why}</bdi>
      </td>
      <td data-column="Received with">
        <ReceivedWith limit={line.limit} />
      </td>
      <td data-column="Cut here" className="num" data-cut={line.limit.cut}>
        {line.cutHref === null ? <span>{line.cut}</span> : <a href={line.cutHref}>{line.cut}</a>}
      </td>
    </>
  )
}

function ReceivedWith({
  limit: { sourceSeq, receivedAt },
}: {
  readonly limit: Pick<Limit, 'sourceSeq' | 'receivedAt'>
}) {
  return (
    <span>
      {sourceSeq === null ? (
        <span className="faint">an evicted envelope</span>
      ) : (
        <a href={`/envelopes/${sourceSeq}`}>envelope {sourceSeq}</a>
      )}{' '}
      <span className="faint">
        <Age atMs={receivedAt} ago />
      </span>
    </span>
  )
}
