'use client'

import { formatBytes, formatCount, formatSeconds, plural } from '../../lib/format'
import { reachText } from '../../lib/wire/reach-text'
import { asSentence } from '../../lib/wire/status-text'
import type { FileUse, Storage } from '../../lib/wire/storage'
import board from '../ui/board.module.css'
import { BoardPage } from '../ui/board-page'
import { Age } from '../ui/clock'
import { Fact, Facts } from '../ui/facts'
import ledger from '../ui/ledger.module.css'
import { ledgerHref } from '../ui/links'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import { diskSpaceText } from '../ui/status-lines'
import { Clearing } from './clearing'
import { DiskUse } from './disk-use'
import { EvictionOrder } from './eviction-order'
import { Rows } from './rows'
import styles from './storage-board.module.css'
import { Collectors, Lanes } from './store-owners'
import { storeSpaceText } from './store-text'
import { StoreUse } from './store-use'
import { useStorage } from './use-storage'

/** `/storage`: disk use, the disk budget, evictions, and actions that free space. */
export function StorageBoard() {
  const { storage, clear, redigest, redigested, ...live } = useStorage()
  const away = live.failure !== null
  return (
    <BoardPage
      title="Storage"
      scope={
        storage?.store === undefined
          ? 'both databases and their disk budget'
          : 'the shared record in PostgreSQL, and its copy at this collector'
      }
      live={live}
      reading={storage === null ? 'Loading …' : null}
    >
      {storage !== null && (
        <>
          <StorageState storage={storage} />
          <SharedRecord storage={storage} />
          <DiskUse storage={storage} />
          <EvictionOrder storage={storage} />
          <div className={board.columns}>
            <Stored storage={storage} />
            <Evictions storage={storage} />
          </div>
          <div className={board.columns}>
            <Clearing storage={storage} away={away} clear={clear} />
            <Rows rebuild={storage.rebuild} redigested={redigested} away={away} redigest={redigest} />
          </div>
        </>
      )}
    </BoardPage>
  )
}

/** The record that collectors share, and the heading of the sections about its copy. */
function SharedRecord({ storage: { store, maxAgeMs } }: { readonly storage: Storage }) {
  if (store === undefined) return null
  return (
    <>
      <StoreUse store={store} maxAgeMs={maxAgeMs} />
      {store.usage !== null && (
        <div className={board.columns}>
          <Collectors collectors={store.usage.collectors} />
          <Lanes lanes={store.usage.lanes} />
        </div>
      )}
      <section className={styles.copy} aria-labelledby="copy">
        <h2 id="copy">Copy at this collector</h2>
        <p className="soft">
          This collector answers queries from a copy of the record, in its data folder. The copy may be deleted: stop
          the collector, delete the folder, and start it again. It then copies the record again, and nothing is lost.
        </p>
      </section>
    </>
  )
}

function StorageState({ storage }: { readonly storage: Storage }) {
  const { store, state } = storage
  const { word, tone, meaning, remedy } = store === undefined ? diskSpaceText(state) : storeSpaceText(store, state)
  return (
    <div className={styles.state} role="status">
      <p data-storage-state={storage.state}>
        <strong className={`toned ${styles.word}`} data-tone={tone}>
          {word}
        </strong>{' '}
        {meaning} {remedy}
      </p>
      {storage.trouble !== null && (
        <p className="banner bad" data-trouble>
          <strong>Problem:</strong> {printable(asSentence(storage.trouble))}
        </p>
      )}
    </div>
  )
}

function Stored({ storage }: { readonly storage: Storage }) {
  const { now, reach, records, oldest, maxAgeMs, pending, deadLetters, spool, rows, ballast, store } = storage
  return (
    <Section id="stored" title={store === undefined ? 'Stored' : 'Copied'} className={styles.section}>
      <Facts>
        <Fact name="Records">
          <span className="num" data-records={records}>
            {formatCount(records)}
          </span>
        </Fact>
        <Fact name="Oldest">{oldest === null ? 'none' : <Age atMs={oldest} ago />}</Fact>
        {reach !== undefined && <Fact name="Reach">{reachText(reach, now)}</Fact>}
        <Fact name="Maximum age">
          {maxAgeMs === null ? (
            <>
              none <span className="faint">set WAYSTATION_MAX_AGE, such as 7d, to delete delivered records by age</span>
            </>
          ) : (
            <>
              <span className="num">{formatSeconds(maxAgeMs / 1000)}</span>{' '}
              <span className="faint">
                {store === undefined
                  ? 'then delivered records are deleted; pending ones stay for at least 24 h'
                  : 'then the copies of delivered records are deleted'}
              </span>
            </>
          )}
        </Fact>
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
        {deadLetters.records > 0 && (
          <Fact name="Dead letters">
            <a className="num" href={ledgerHref('dead-letters')}>
              {plural(deadLetters.records, 'envelope')}
            </a>
            <span className="num">, {formatBytes(deadLetters.bytes)}</span>{' '}
            <span className="faint">they wait for a person, and do not count as pending here</span>
          </Fact>
        )}
        <Fact name="spool.db">
          <File file={spool} />
        </Fact>
        <Fact name="telemetry.db">
          <File file={rows} />
        </Fact>
        <Fact name="Ballast">
          {ballast.released ? (
            <>
              released <span className="faint">the disk was full; it is restored when there is space</span>
            </>
          ) : (
            <>
              <span className="num">{formatBytes(ballast.bytes)}</span>{' '}
              <span className="faint">released when the disk is full, to allow deletions</span>
            </>
          )}
        </Fact>
      </Facts>
    </Section>
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

function Evictions({ storage }: { readonly storage: Storage }) {
  return (
    <Section
      id="evictions"
      title={storage.store === undefined ? 'Evicted and lost' : 'Evicted from the copy'}
      className={styles.section}
    >
      {storage.store !== undefined && (
        <p className="soft">
          PostgreSQL keeps what leaves the copy. Records that expired there, or dead letters that went with their
          partition, count on <a href="/losses">Losses</a>.
        </p>
      )}
      <table className={ledger.ledger} aria-labelledby="evictions">
        <tbody>
          {evictionLines(storage).map(({ id, count, name, meaning, lost }) => (
            <tr key={id} data-eviction={id} data-tone={lost ? 'warn' : undefined}>
              <td className="num">{count}</td>
              <th scope="row">{name}</th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

interface EvictionLine {
  readonly id: 'records' | 'byAge' | 'rowsOnly' | 'deadLetters' | 'expired' | 'refused'
  readonly count: string
  readonly name: string
  readonly meaning: string
  readonly lost: boolean
}

export function evictionLines({ evicted, refused, store }: Storage): readonly EvictionLine[] {
  const bytes = evicted.records === 0 ? '' : ` ${formatBytes(evicted.bytes)} in all.`
  if (store !== undefined) return copyEvictionLines(evicted, refused, bytes)
  return [
    {
      id: 'records',
      count: formatCount(evicted.records),
      name: 'evicted',
      meaning: `Settled records, with their rows.${bytes}`,
      lost: false,
    },
    {
      id: 'byAge',
      count: formatCount(evicted.byAge),
      name: 'too old',
      meaning: 'Settled records that exceeded the maximum age, with their rows.',
      lost: false,
    },
    {
      id: 'rowsOnly',
      count: formatCount(evicted.rowsOnly),
      name: 'rows evicted',
      meaning: 'Pending records whose rows were evicted: no longer shown in full, still relayed.',
      lost: false,
    },
    {
      id: 'deadLetters',
      count: formatCount(evicted.deadLetters),
      name: 'dead letters evicted',
      meaning: 'Refused by upstream and evicted before a person decided. They count as invalid.',
      lost: evicted.deadLetters > 0,
    },
    {
      id: 'expired',
      count: formatCount(evicted.expired),
      name: 'expired',
      meaning: 'Not delivered within 24 hours of running time, or the maximum age if that is longer.',
      lost: evicted.expired > 0,
    },
    {
      id: 'refused',
      count: formatCount(refused),
      name: 'refused',
      meaning: 'Answered 503, because too much was pending or nothing could be evicted.',
      lost: refused > 0,
    },
  ]
}

/** Nothing that leaves a copy is lost; only envelopes that the database had no space for are. */
const copyEvictionLines = (evicted: Storage['evicted'], refused: number, bytes: string): readonly EvictionLine[] => [
  {
    id: 'records',
    count: formatCount(evicted.records),
    name: 'evicted',
    meaning: `Copies of records, with their rows, for disk space.${bytes}`,
    lost: false,
  },
  {
    id: 'byAge',
    count: formatCount(evicted.byAge),
    name: 'too old',
    meaning: 'Copies of records that exceeded the maximum age, with their rows.',
    lost: false,
  },
  {
    id: 'rowsOnly',
    count: formatCount(evicted.rowsOnly),
    name: 'rows evicted',
    meaning: 'Copies of pending records whose rows were evicted: no longer shown in full, still relayed.',
    lost: false,
  },
  {
    id: 'refused',
    count: formatCount(refused),
    name: 'refused',
    meaning: 'Answered 503 by any collector, because the database had reached its budget.',
    lost: refused > 0,
  },
]
