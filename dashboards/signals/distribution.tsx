import { formatCount } from '../../lib/format'
import type { ExactNumber, Exemplar } from '../../lib/wire/open-telemetry'
import type { SignalRow } from '../../lib/wire/signal'
import { PlainAttributes } from '../ui/attribute-table'
import { TableHead } from '../ui/board'
import { spanHref } from '../ui/links'
import { printable } from '../ui/printable'
import { formatDateTime } from '../ui/times'
import styles from './distribution.module.css'
import { type Bucket, bucketsOf, bucketsText, quantilesOf, unitText } from './measurement-text'

/** The buckets or the quantiles of a metric; nothing for a metric without. */
export function Distribution({ fields }: { readonly fields: SignalRow['fields'] }) {
  const buckets = bucketsOf(fields)
  const quantiles = quantilesOf(fields)
  return (
    <>
      {buckets !== null && <Buckets buckets={buckets} unit={unitText(fields.unit)} />}
      {quantiles !== null && (
        <table className={styles.table}>
          <caption>Quantiles</caption>
          <tbody>
            {quantiles.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{printable(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** More labels would overlap. */
const MOST_LABELS = 8

function Buckets({ buckets, unit }: { readonly buckets: readonly Bucket[]; readonly unit: string | null }) {
  const highest = Math.max(...buckets.map(({ size }) => size), 1)
  const step = Math.max(1, Math.ceil(buckets.length / MOST_LABELS))
  return (
    <figure className={styles.buckets}>
      <figcaption>{printable(bucketsText(buckets, unit))}</figcaption>
      <svg viewBox={`0 0 ${buckets.length} 100`} preserveAspectRatio="none" aria-hidden="true">
        {buckets.map(({ range, size }, at) => (
          <rect
            key={range}
            x={at + 0.06}
            width={0.88}
            y={100 - (size / highest) * 100}
            height={(size / highest) * 100}
          />
        ))}
      </svg>
      <div className={styles.labels} aria-hidden="true">
        {buckets.map(({ range, to }, at) =>
          to === null || (at + 1) % step !== 0 ? null : (
            <span
              key={range}
              data-last={at + 1 === buckets.length}
              style={{ left: `${((at + 1) / buckets.length) * 100}%` }}
            >
              {printable(to)}
            </span>
          ),
        )}
      </div>
      <details>
        <summary>Buckets as a table</summary>
        <table className={styles.table}>
          <TableHead columns={[unit === null ? 'Values' : `Values in ${printable(unit)}`, 'Count']} />
          <tbody>
            {buckets
              .filter(({ size }) => size > 0)
              .map(({ range, count }) => (
                <tr key={range}>
                  <th scope="row">{printable(range)}</th>
                  <td>{countText(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
        <p className="small faint">Empty buckets are left out.</p>
      </details>
    </figure>
  )
}

const countText = (count: ExactNumber): string => (typeof count === 'number' ? formatCount(count) : printable(count))

/** Measurements behind a metric; some link to the span that was active. */
export function Exemplars({
  exemplars,
  unit,
}: {
  readonly exemplars: readonly Exemplar[]
  readonly unit: string | null
}) {
  return (
    <section className={styles.exemplars} aria-label="Exemplars">
      <h3>Exemplars</h3>
      <ul>
        {exemplars.map((exemplar, at) => (
          // Exemplars have no ids, and their order is fixed.
          <li key={`${at} ${exemplar.timeNanos}`}>
            <p className={styles.exemplar}>
              <strong>
                {printable(String(exemplar.value ?? '–'))} {unit !== null && printable(unit)}
              </strong>
              {exemplar.timeNanos !== null && (
                <span className="num faint">{formatDateTime(Number(BigInt(exemplar.timeNanos) / 1_000_000n))}</span>
              )}
              {exemplar.traceId !== null && (
                <a className="mono" href={spanHref(exemplar.traceId, exemplar.spanId) ?? undefined}>
                  trace {exemplar.traceId.slice(0, 8)}
                </a>
              )}
            </p>
            <PlainAttributes attributes={exemplar.attributes} />
          </li>
        ))}
      </ul>
    </section>
  )
}
