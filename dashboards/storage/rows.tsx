'use client'

import { useState } from 'react'
import { formatCount, formatSeconds } from '../../lib/format'
import type { Rebuild } from '../../lib/wire/storage'
import { useNow } from '../ui/clock'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import styles from './storage-board.module.css'
import { type Redigested, redigestedText } from './use-storage'

interface RowsProps {
  readonly rebuild: Rebuild | null
  /** How the last rebuild ended that this page followed. */
  readonly redigested: Redigested | null
  readonly away: boolean
  readonly redigest: () => Promise<void>
}

/** Rebuilds the rows from the record, with progress. */
export function Rows({ rebuild, redigested, away, redigest }: RowsProps) {
  const [failure, setFailure] = useState<string | null>(null)
  const start = async (): Promise<void> => {
    setFailure(null)
    try {
      await redigest()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Section id="rows" title="Rows" className={styles.section}>
      <p className="soft">
        Lists and traces are rows, which are digested from the record and can be rebuilt at any time. During a rebuild,
        the current rows are served and intake continues.
      </p>
      <div className={styles.action}>
        {/* Not disabled during a rebuild, which would lose the focus; pressing it again has no effect. */}
        <button type="button" className="button" onClick={start} disabled={away}>
          Digest again
        </button>
        {rebuild !== null && <Progress rebuild={rebuild} />}
        <p role="status" className={rebuild === null ? 'num' : 'visually-hidden'}>
          {rebuild !== null && 'The rows are being rebuilt.'}
          {rebuild === null && redigested !== null && redigestedText(redigested)}
        </p>
        {failure !== null && (
          <p className="banner bad" role="alert">
            The rebuild could not be started: {printable(failure)}
          </p>
        )}
      </div>
    </Section>
  )
}

function Progress({ rebuild }: { readonly rebuild: Rebuild }) {
  const { share, text } = rebuildText(rebuild, useNow())
  return (
    <>
      <progress className={styles.progress} max={1} value={share} aria-label="Digesting again" />
      <p className="num" data-rebuild={rebuild.done}>
        {text}
      </p>
    </>
  )
}

/** Earlier estimates would vary too much. */
const ESTIMATE_AFTER_MS = 2000

interface RebuildText {
  /** 0 to 1. */
  readonly share: number
  readonly text: string
}

/** The progress of a rebuild and its estimated time left. */
export function rebuildText({ done, of, startedAt }: Rebuild, nowMs: number): RebuildText {
  const share = of === 0 ? 1 : Math.min(1, done / of)
  const ran = nowMs - startedAt
  const counts = `${formatCount(done)} of ${formatCount(of)} envelopes (${Math.floor(share * 100)} %)`
  if (done === 0 || done >= of || ran < ESTIMATE_AFTER_MS) return { share, text: counts }
  const left = Math.ceil(((of - done) * (ran / done)) / 1000)
  return { share, text: `${counts}, about ${formatSeconds(left)} left` }
}
