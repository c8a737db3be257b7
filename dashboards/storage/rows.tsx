'use client'

import { useState } from 'react'
import type { Rebuild } from '../../lib/wire/storage'
import { printable } from '../ui/printable'
import { useNow } from '../ui/use-now'
import { rebuildWords } from './rebuild-words'
import { type Redigested, redigestedWords } from './redigested'
import styles from './section.module.css'

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
          {rebuild === null && redigested !== null && redigestedWords(redigested)}
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
  const { share, text } = rebuildWords(rebuild, useNow())
  return (
    <>
      <progress className={styles.progress} max={1} value={share} aria-label="Digesting again" />
      <p className="num" data-rebuild={rebuild.done}>
        {text}
      </p>
    </>
  )
}
