'use client'

import { formatBytes, formatCount, plural } from '../../lib/format'
import type { FileUse, Storage } from '../../lib/wire/storage'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { Age } from '../ui/clock'
import { Fact, Facts } from '../ui/facts'
import ledger from '../ui/ledger.module.css'
import { printable } from '../ui/printable'
import { asSentence, diskSpaceText } from '../ui/status-lines'
import { Clearing } from './clearing'
import { DiskUse } from './disk-use'
import { Rows } from './rows'
import styles from './storage-board.module.css'
import { useStorage } from './use-storage'

/** `/storage`: how much is kept, how much may be, what had to go, and the ways to make room. */
export function StorageBoard() {
  const { storage, clear, redigest, redigested, ...live } = useStorage()
  const away = live.failure !== null
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Storage</h1>
        <ConnectionState {...live} />
      </div>
      <ConnectionBanner {...live} />
      {storage === null && !away && <p className="small faint">Reading …</p>}
      {storage !== null && (
        <>
          <StorageState storage={storage} />
          <DiskUse storage={storage} />
          <div className={board.columns}>
            <Kept storage={storage} />
            <Gone storage={storage} />
          </div>
          <div className={board.columns}>
            <Clearing storage={storage} away={away} clear={clear} />
            <Rows rebuild={storage.rebuild} redigested={redigested} away={away} redigest={redigest} />
          </div>
        </>
      )}
    </div>
  )
}

/** What the state means, in a sentence; trouble beside it, for there may be both. */
function StorageState({ storage }: { readonly storage: Storage }) {
  const { word, tone, means, remedy } = diskSpaceText(storage.state)
  return (
    <div className={styles.state} role="status">
      <p data-storage-state={storage.state}>
        <strong className={`toned ${styles.word}`} data-tone={tone}>
          {word}
        </strong>{' '}
        {means} {remedy}
      </p>
      {storage.trouble !== null && (
        <p className="banner bad" data-trouble>
          <strong>Trouble:</strong> {printable(asSentence(storage.trouble))}
        </p>
      )}
    </div>
  )
}

/** What is there now, in figures. */
function Kept({ storage }: { readonly storage: Storage }) {
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

/** What had to go, in all runs of this folder. */
function Gone({ storage }: { readonly storage: Storage }) {
  return (
    <section className={styles.section} aria-labelledby="gone">
      <h2 id="gone">Gone, ever</h2>
      <table className={ledger.ledger} aria-labelledby="gone">
        <tbody>
          {goneLines(storage).map(({ id, count, name, means, lost }) => (
            <tr key={id} data-gone={id} data-tone={lost ? 'warn' : undefined}>
              <td className="num">{count}</td>
              <th scope="row">{name}</th>
              <td>{means}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export interface GoneLine {
  readonly id: 'records' | 'rowsOnly' | 'deadLetters' | 'expired' | 'overflow' | 'refused'
  readonly count: string
  readonly name: string
  readonly means: string
  /** Did somebody lose something by it? */
  readonly lost: boolean
}

/** What had to go since this folder was made. Each line is told, also while it is nought: so much went, and no more. */
export function goneLines({ evicted, overflow, refused }: Storage): readonly GoneLine[] {
  const bytes = evicted.records === 0 ? '' : ` ${formatBytes(evicted.bytes)} in all.`
  return [
    {
      id: 'records',
      count: formatCount(evicted.records),
      name: 'evicted',
      means: `Records that pending nothing, with their rows.${bytes}`,
      lost: false,
    },
    {
      id: 'rowsOnly',
      count: formatCount(evicted.rowsOnly),
      name: 'rows evicted',
      means: 'Pending records that lost their rows: no longer shown in full, relayed all the same.',
      lost: false,
    },
    {
      id: 'overflow',
      count: formatCount(overflow),
      name: 'overflow',
      means: 'Stored and not pending, for the backlog had its share.',
      lost: overflow > 0,
    },
    {
      id: 'deadLetters',
      count: formatCount(evicted.deadLetters),
      name: 'dead letters evicted',
      means: 'Refused by upstream for what they were, and gone before a person decided. They ended as invalid.',
      lost: evicted.deadLetters > 0,
    },
    {
      id: 'expired',
      count: formatCount(evicted.expired),
      name: 'expired',
      means: 'Pending for more than 24 hours of running and never delivered.',
      lost: evicted.expired > 0,
    },
    {
      id: 'refused',
      count: formatCount(refused),
      name: 'refused',
      means: 'Answered 429, for nothing could be evicted.',
      lost: refused > 0,
    },
  ]
}
