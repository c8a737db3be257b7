'use client'

import { formatBytes } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import { diskBar } from './disk-bar'
import styles from './disk-use.module.css'

/** The cap as one bar: record, rows, free; below it the pending part of the record, and how far that may grow. */
export function DiskUse({ storage }: { readonly storage: Storage }) {
  const bar = diskBar(storage)
  const { cap, used, pending } = storage
  return (
    <section className={styles.use} aria-labelledby="use">
      <h2 id="use" className="visually-hidden">
        Use of the cap
      </h2>
      <p className={styles.sum}>
        <strong className={styles.used} data-used={used}>
          {formatBytes(used)}
        </strong>
        <span className="soft">
          of {formatBytes(cap)}, {Math.round(bar.used * 100)} % of the cap
        </span>
      </p>
      <div className={styles.bars} aria-hidden="true">
        <div className={styles.whole}>
          {bar.parts.map(({ id, share }) => (
            <span key={id} className={styles.part} data-part={id} style={{ width: percent(share) }} />
          ))}
        </div>
        <div className={styles.backlog}>
          <span className={styles.pending} style={{ width: percent(bar.pending) }} />
          <span className={styles.mark} style={{ left: percent(bar.pendingCap) }} />
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
          <span className={styles.swatch} data-part="pending" aria-hidden="true" />
          pending, in the record{' '}
          <span className="num">
            {formatBytes(pending.bytes)} of at most {formatBytes(pending.cap)}
          </span>
        </li>
      </ul>
    </section>
  )
}

const percent = (share: number): string => `${share * 100}%`
