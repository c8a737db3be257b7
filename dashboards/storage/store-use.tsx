import { formatBytes, formatSeconds } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import type { Store, StoreUsage } from '../../lib/wire/store'
import { Age } from '../ui/clock'
import { Fact, Facts } from '../ui/facts'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import disk from './disk-use.module.css'
import styles from './storage-board.module.css'
import { Partitions } from './store-owners'
import { isMirrorLate, mirrorText, partitionsText, storeBar, waitingText } from './store-text'

/** The shared record in PostgreSQL: its size and budget, its partitions, and how far this collector has copied it. */
export function StoreUse({ store, maxAgeMs }: { readonly store: Store; readonly maxAgeMs: Storage['maxAgeMs'] }) {
  const { place, mirror, usage, unmeasured } = store
  return (
    <Section id="store" title="PostgreSQL" className={styles.store}>
      {usage === null ? <p className="soft">The size of the database is not known yet.</p> : <Size usage={usage} />}
      {unmeasured !== null && (
        <p className="banner warn" role="status">
          The last measurement failed, and is repeated: {printable(unmeasured)}
        </p>
      )}
      <Facts>
        <Fact name="Database">
          <bdi>{printable(place)}</bdi>
        </Fact>
        {mirror !== undefined && (
          <Fact name="Copied here">
            <span
              className="toned num"
              data-tone={isMirrorLate(mirror) ? 'warn' : undefined}
              data-missing={mirror.missing}
            >
              {mirrorText(mirror)}
            </span>
          </Fact>
        )}
        {usage !== null && (
          <>
            <Fact name="Oldest">
              {usage.partitions.oldestAt === null ? 'no record' : <Age atMs={usage.partitions.oldestAt} ago />}
            </Fact>
            <Fact name="Maximum age">
              {maxAgeMs === null ? (
                <>
                  none <span className="faint">WAYSTATION_MAX_AGE, such as 7d, drops partitions by age</span>
                </>
              ) : (
                <>
                  <span className="num">{formatSeconds(maxAgeMs / 1000)}</span>{' '}
                  <span className="faint">
                    then a partition is dropped as a whole; one with records pending for less than 24 h waits
                  </span>
                </>
              )}
            </Fact>
            <Fact name="Partitions">
              <span className="num" data-partitions={usage.partitions.count}>
                {partitionsText(usage.partitions)};{' '}
                <span className="toned" data-tone={usage.partitions.waiting > 0 ? 'warn' : undefined}>
                  {waitingText(usage.partitions.waiting)}
                </span>
              </span>
            </Fact>
            <Fact name="Measured">
              <Age atMs={usage.measuredAt} ago />
            </Fact>
          </>
        )}
      </Facts>
      {usage !== null && <Partitions partitions={usage.partitions} />}
    </Section>
  )
}

function Size({ usage }: { readonly usage: StoreUsage }) {
  const { bytes, budgetBytes, dropsAt } = usage
  const bar = storeBar(usage)
  return (
    <div className={disk.use}>
      <p className={disk.sum}>
        <strong className={disk.used} data-store-bytes={bytes}>
          {formatBytes(bytes)}
        </strong>
        <span className="soft">
          {budgetBytes === null
            ? 'in the whole database, which has no budget'
            : `of ${formatBytes(budgetBytes)}, ${Math.round((100 * bytes) / Math.max(1, budgetBytes))} % of the budget of the database`}
        </span>
      </p>
      {bar !== null && dropsAt !== null && (
        <>
          <div className={disk.bars} aria-hidden="true">
            <div className={disk.whole}>
              {bar.map(({ id, share }) => (
                <span key={id} className={disk.part} data-part={id} style={{ width: `${share * 100}%` }} />
              ))}
              <span
                className={disk.start}
                style={{ left: `${(100 * dropsAt) / Math.max(1, bytes, budgetBytes ?? 0)}%` }}
              />
            </div>
          </div>
          <ul className={disk.legend}>
            {bar.map(({ id, name, bytes: part }) => (
              <li key={id}>
                <span className={disk.swatch} data-part={id} aria-hidden="true" />
                {name} <span className="num">{formatBytes(part)}</span>
              </li>
            ))}
            <li>
              <span className={disk.swatch} data-part="start" aria-hidden="true" />
              the oldest partition is dropped at <span className="num">{formatBytes(dropsAt)}</span>
            </li>
          </ul>
        </>
      )}
    </div>
  )
}
