'use client'

import { formatBytes } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import styles from './disk-use.module.css'

/** The disk budget as a bar: record, rows, free. Below it the pending part of the record and its limit. */
export function DiskUse({ storage }: { readonly storage: Storage }) {
  const bar = diskBar(storage)
  const { cap, used, pending, store } = storage
  // A copy has no limit of its own for what is pending.
  const boundsPending = store === undefined
  return (
    <section className={styles.use} aria-labelledby="use">
      <h2 id="use" className="visually-hidden">
        Use of the disk budget
      </h2>
      <p className={styles.sum}>
        <strong className={styles.used} data-used={used}>
          {formatBytes(used)}
        </strong>
        <span className="soft">
          of {formatBytes(cap)}, {Math.round(bar.used * 100)} % of the disk budget
          {store !== undefined && ' of the copy, WAYSTATION_MAX_DISK'}
        </span>
      </p>
      <div className={styles.bars} aria-hidden="true">
        <div className={styles.whole}>
          {bar.parts.map(({ id, share }) => (
            <span key={id} className={styles.part} data-part={id} style={{ width: percent(share) }} />
          ))}
          <span className={styles.start} style={{ left: percent(bar.evictsAt) }} />
        </div>
        <div className={styles.backlog}>
          <span className={styles.pending} style={{ width: percent(bar.pending) }} />
          {boundsPending && <span className={styles.mark} style={{ left: percent(bar.pendingCap) }} />}
        </div>
      </div>
      <ul className={styles.legend}>
        {bar.parts.map(({ id, name, bytes }) => (
          <li key={id}>
            <span className={styles.swatch} data-part={id} aria-hidden="true" />
            {name} <span className="num">{formatBytes(bytes)}</span>
          </li>
        ))}
        <li>
          <span className={styles.swatch} data-part="start" aria-hidden="true" />
          eviction starts at <span className="num">{formatBytes(storage.evictsAt)}</span>
        </li>
        <li>
          <span className={styles.swatch} data-part="pending" aria-hidden="true" />
          pending, in the record <span className="num">{formatBytes(pending.bytes)}</span>
        </li>
        {boundsPending && (
          <li>
            <span className={styles.swatch} data-part="cap" aria-hidden="true" />
            at most <span className="num">{formatBytes(pending.cap)}</span> may be pending
          </li>
        )}
      </ul>
      <p className="small soft">
        The budget counts content. With free pages, logs and ballast, the files take{' '}
        <span className="num">{formatBytes(onDisk(storage))}</span> on disk.
      </p>
    </section>
  )
}

/** The bytes of both databases with their logs, and of the ballast. */
export const onDisk = ({ spool, rows, ballast }: Pick<Storage, 'spool' | 'rows' | 'ballast'>): number =>
  spool.file + spool.wal + rows.file + rows.wal + (ballast.released ? 0 : ballast.bytes)

const percent = (share: number): string => `${share * 100}%`

interface DiskPart {
  readonly id: 'record' | 'rows' | 'free'
  readonly name: string
  readonly bytes: number
  /** Part of the whole bar, 0 to 1. */
  readonly share: number
}

interface DiskBar {
  readonly parts: readonly DiskPart[]
  /** The start of eviction, 0 to 1. */
  readonly evictsAt: number
  /** Part of the record that is pending, 0 to 1. */
  readonly pending: number
  /** The limit of the pending part, 0 to 1. */
  readonly pendingCap: number
  /** Part of the disk budget; above 1 when it is exceeded. */
  readonly used: number
}

/** The parts of the disk budget. When it is exceeded, the bar shows the used bytes. */
export function diskBar({ cap, used, spool, rows, pending, evictsAt }: Storage): DiskBar {
  const free = Math.max(0, cap - used)
  const whole = Math.max(1, cap, spool.used + rows.used)
  const share = (bytes: number): number => Math.min(1, Math.max(0, bytes / whole))
  return {
    parts: [
      { id: 'record', name: 'record', bytes: spool.used, share: share(spool.used) },
      { id: 'rows', name: 'rows', bytes: rows.used, share: share(rows.used) },
      { id: 'free', name: 'free', bytes: free, share: share(free) },
    ],
    evictsAt: share(evictsAt),
    pending: share(pending.bytes),
    pendingCap: share(pending.cap),
    used: cap === 0 ? 0 : used / cap,
  }
}
