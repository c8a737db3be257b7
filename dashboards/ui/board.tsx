'use client'

import type { ReactNode } from 'react'
import styles from './board.module.css'
import { useNow } from './clock'
import type { Connection } from './live-stream'
import { printable } from './printable'
import { HAS_LAB, IS_STANDALONE } from './standalone'
import { formatLeft, formatShortSecond } from './times'
import type { LiveState } from './use-live'

/** The state of the live stream as glyph and words, with the time of the next attempt, and of the last return. */
export function ConnectionState({ connection, failure, retryAt = null, backAt = null }: LiveState) {
  const shown = failure?.kind === 'unreachable' ? 'unreachable' : connection
  const nowMs = useNow()
  return (
    <span className={styles.state} data-connection={shown} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {connectionText(shown, retryAt, backAt, nowMs)}
    </span>
  )
}

export function connectionText(
  connection: Connection,
  retryAt: number | null,
  backAt: number | null,
  nowMs: number,
): string {
  if (connection === 'connecting') return 'connecting'
  if (connection === 'live') return backAt === null ? 'live' : `live again since ${formatShortSecond(backAt, nowMs)}`
  const left = retryAt === null ? null : formatLeft(retryAt, nowMs)
  return `${connection === 'unreachable' ? 'collector unreachable' : 'not connected'}, retry ${left === null ? 'now' : `in ${left}`}`
}

export function ConnectionBanner({ connection, failure }: LiveState) {
  if (failure?.kind === 'refused') {
    return (
      <p className={`banner bad ${styles.banner}`} role="alert">
        <strong>The collector refused this page ({failure.status}):</strong> {failure.detail}
        {failure.status === 401 && (
          <>
            {' '}
            <a href="/login">Sign in</a>
          </>
        )}
      </p>
    )
  }
  if (failure?.kind === 'behind') {
    return (
      <p className={`banner warn ${styles.banner}`} role="status" data-behind={failure.missing ?? 'unknown'}>
        <strong>{failure.missing === null ? 'PostgreSQL is away.' : 'Not complete yet.'}</strong>{' '}
        {printable(failure.detail)} This page asks again every few seconds.
      </p>
    )
  }
  if (failure?.kind === 'unreadable') {
    return (
      <p className={`banner bad ${styles.banner}`} role="alert">
        <strong>The collector’s answer could not be read.</strong> App and collector may run different versions: restart
        both. ({failure.detail.slice(0, 200)})
      </p>
    )
  }
  if (failure?.kind !== 'unreachable' && connection !== 'unreachable') return null
  return (
    <p className={`banner warn ${styles.banner}`} role="status">
      <strong>The collector is unreachable.</strong>{' '}
      {IS_STANDALONE
        ? 'Programs with the local DSN lose what they send meanwhile. Boards that are not loaded yet cannot be opened.'
        : 'Your pages keep working: the tunnel stores their envelopes in its lifeboat and sends them when the collector is back.'}{' '}
      This page retries every few seconds.
    </p>
  )
}

interface EmptyProps {
  readonly title: string
  readonly what: 'list' | 'page'
  readonly children: ReactNode
}

export function Empty({ title, what, children }: EmptyProps) {
  return (
    <div className={styles.none} data-empty>
      <h2>{title}</h2>
      {children}
      <p className="faint">This {what} updates automatically.</p>
    </div>
  )
}

interface FirstStepsProps {
  /** The text after “Open the lab”. */
  readonly lab: string
  /** The text after “your own program”. */
  readonly own?: ReactNode
  /** Further steps. */
  readonly children?: ReactNode
}

/** How to get first telemetry: from the lab where there is one, or from the reader's own program. */
export function FirstSteps({ lab, own = '.', children }: FirstStepsProps) {
  return (
    <ol>
      {HAS_LAB && (
        <li>
          <a href="/lab">Open the lab</a>
          {lab}
        </li>
      )}
      <li>
        {HAS_LAB ? 'Or set' : 'Set'} the local DSN of the board <a href="/">Live</a> in your own program{own}
      </li>
      {children}
    </ol>
  )
}

/** The head of a table whose cells name their column in `data-column`. */
export const TableHead = ({ columns }: { readonly columns: readonly string[] }) => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
)
