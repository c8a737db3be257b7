'use client'

import { useState } from 'react'
import { formatCount, formatSeconds } from '../../lib/format'
import type { Rebuild } from '../../lib/wire/storage'
import { useNow } from '../ui/clock'
import { printable } from '../ui/printable'
import styles from './storage-board.module.css'
import { type Redigested, redigestedText } from './use-storage'

interface RowsProps {
  readonly rebuild: Rebuild | null
  /** How the last one ended that was seen from here. */
  readonly redigested: Redigested | null
  /** The collector cannot be asked just now. */
  readonly away: boolean
  readonly redigest: () => Promise<void>
}

/** The rows can be made again from the record at any time; while they are, how far that is. */
export function Rows({ rebuild, redigested, away, redigest }: RowsProps) {
  const [failure, setFailure] = useState<string | null>(null)
  const begin = async (): Promise<void> => {
    setFailure(null)
    try {
      await redigest()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <section className={styles.section} aria-labelledby="rows">
      <h2 id="rows">Rows</h2>
      <p className="soft">
        Lists and traces are rows, digested from the record. They can be made again at any time; what is there now is
        served meanwhile, and intake goes on.
      </p>
      <div className={styles.way}>
        {/* A rebuild does not disable it, which would lose the focus: a second press asks for what already runs. */}
        <button type="button" className="button" onClick={begin} disabled={away}>
          Digest again
        </button>
        {rebuild !== null && <Progress rebuild={rebuild} />}
        <p role="status" className={rebuild === null ? 'num' : 'visually-hidden'}>
          {rebuild !== null && 'The rows are being made again.'}
          {rebuild === null && redigested !== null && redigestedText(redigested)}
        </p>
        {failure !== null && (
          <p className="banner bad" role="alert">
            It could not be begun: {printable(failure)}
          </p>
        )}
      </div>
    </section>
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

/** Before this much has run, a guess would jump about. */
const GUESS_FROM_MS = 2000

export interface RebuildText {
  /** 0 to 1. */
  readonly share: number
  readonly text: string
}

/** How far a rebuild is, and about how long it still takes. */
export function rebuildText({ done, of, startedAt }: Rebuild, nowMs: number): RebuildText {
  const share = of === 0 ? 1 : Math.min(1, done / of)
  const ran = nowMs - startedAt
  const counts = `${formatCount(done)} of ${formatCount(of)} envelopes (${Math.floor(share * 100)} %)`
  if (done === 0 || done >= of || ran < GUESS_FROM_MS) return { share, text: counts }
  const left = Math.ceil(((of - done) * (ran / done)) / 1000)
  return { share, text: `${counts}, about ${formatSeconds(left)} left` }
}
