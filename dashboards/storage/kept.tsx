import { formatBytes, formatCount, plural } from '../../lib/format'
import type { FileUse, Storage } from '../../lib/wire/storage'
import { Age } from '../ui/clock'
import { Fact, Facts } from '../ui/facts'
import styles from './section.module.css'

/** What is there now, in figures. */
export function Kept({ storage }: { readonly storage: Storage }) {
  const { records, oldest, pending, spool, rows, ballast } = storage
  return (
    <section className={styles.section} aria-labelledby="kept">
      <h2 id="kept">Kept</h2>
      <Facts>
        <Fact name="Records">
          <span className="num" data-records={records}>
            {formatCount(records)}
          </span>
        </Fact>
        <Fact name="Oldest">{oldest === null ? 'none' : <Age atMs={oldest} ago />}</Fact>
        <Fact name="Pending">
          {pending.records === 0 ? (
            'nothing'
          ) : (
            <>
              <span className="num">
                {plural(pending.records, 'envelope')}, {formatBytes(pending.bytes)}
              </span>
              {pending.oldest !== null && (
                <span className="faint">
                  {' '}
                  the oldest <Age atMs={pending.oldest} ago />
                </span>
              )}
            </>
          )}
        </Fact>
        <Fact name="spool.db">
          <File file={spool} />
        </Fact>
        <Fact name="telemetry.db">
          <File file={rows} />
        </Fact>
        <Fact name="Ballast">
          {ballast.released ? (
            <>
              released <span className="faint">the disk was full; it is made again when there is room</span>
            </>
          ) : (
            <>
              <span className="num">{formatBytes(ballast.bytes)}</span>{' '}
              <span className="faint">let go when the disk is full, so that deleting has room</span>
            </>
          )}
        </Fact>
      </Facts>
    </section>
  )
}

function File({ file }: { readonly file: FileUse }) {
  return (
    <span className="num">
      {formatBytes(file.used)} used{' '}
      <span className="faint">
        file {formatBytes(file.file)}, log {formatBytes(file.wal)}
      </span>
    </span>
  )
}
