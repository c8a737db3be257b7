'use client'

import type { ReactNode } from 'react'
import styles from './board.module.css'
import type { LiveState } from './use-live'

const WORDS = {
  connecting: 'connecting',
  live: 'live',
  reconnecting: 'reconnecting',
  unreachable: 'collector unreachable',
} as const

/** One calm word in the corner: is what I see still moving? */
export function ConnectionState({ connection, failure }: LiveState) {
  const shown = failure?.kind === 'unreachable' ? 'unreachable' : connection
  return (
    <span className={styles.state} data-connection={shown} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {WORDS[shown]}
    </span>
  )
}

/** What to know while nothing newer can be shown: what stopped, what still works, what happens next. */
export function ConnectionBanner({ connection, failure }: LiveState) {
  if (failure?.kind === 'refused') {
    return (
      <p className={`banner bad ${styles.banner}`} role="alert">
        <strong>The collector does not answer this page ({failure.status}):</strong> {failure.detail}
        {failure.status === 401 && (
          <>
            {' '}
            <a href="/login">Sign in</a>
          </>
        )}
      </p>
    )
  }
  if (failure?.kind === 'unreadable') {
    return (
      <p className={`banner bad ${styles.banner}`} role="alert">
        <strong>The collector’s answer cannot be read.</strong> App and collector may be of different versions: restart
        both. ({failure.detail.slice(0, 200)})
      </p>
    )
  }
  if (failure?.kind !== 'unreachable' && connection !== 'unreachable') return null
  return (
    <p className={`banner warn ${styles.banner}`} role="status">
      <strong>The collector is unreachable.</strong> Your pages keep working: the tunnel keeps their envelopes in its
      lifeboat and hands them over when the collector is back. This page tries again every few seconds.
    </p>
  )
}

interface EmptyProps {
  readonly title: string
  /** What fills. */
  readonly what: 'list' | 'page'
  /** What would be here, and how to make something arrive. */
  readonly children: ReactNode
}

/** An empty list teaches how to fill it. */
export function Empty({ title, what, children }: EmptyProps) {
  return (
    <div className={styles.none} data-empty>
      <h2>{title}</h2>
      {children}
      <p className="faint">This {what} fills by itself; there is nothing to reload.</p>
    </div>
  )
}
