'use client'

import { useEffect, useRef, useState } from 'react'
import type { Storage } from '../../lib/wire/storage'
import { clearWords, dropWords, owesNothing } from './clearing-steps'
import { ConfirmButton } from './confirm-button'
import styles from './section.module.css'

interface ClearingProps {
  readonly storage: Storage
  /** The collector cannot be asked just now. */
  readonly away: boolean
  readonly clear: (options: { readonly pending: boolean }) => Promise<void>
}

/** Two ways to begin afresh, apart from each other: one loses views, the other envelopes. */
export function Clearing({ storage, away, clear }: ClearingProps) {
  const [done, setDone] = useState<string | null>(null)
  const said = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The button that was pressed may be disabled now: the focus goes on to what came of it.
    if (done !== null) said.current?.focus()
  }, [done])
  const act = (pending: boolean, word: string) => async (): Promise<void> => {
    await clear({ pending })
    setDone(word)
  }
  return (
    <section className={styles.section} aria-labelledby="clear">
      <h2 id="clear">Clear</h2>
      <div className={styles.way}>
        <p className="soft">Takes away the records that owe nothing, with their rows.</p>
        <ConfirmButton
          label="Clear what owes nothing"
          words={clearWords(storage)}
          confirm="Clear"
          disabled={away || owesNothing(storage) === 0}
          act={act(false, 'Cleared what pending nothing.')}
        />
      </div>
      <div className={styles.way}>
        <p className="soft">Takes away everything, also what upstream has not had.</p>
        <ConfirmButton
          label="Drop what is pending too"
          words={dropWords(storage)}
          confirm="Drop and clear"
          disabled={away || storage.records === 0}
          act={act(true, 'Dropped what was pending and cleared everything.')}
          grave
        />
      </div>
      <p ref={said} tabIndex={-1} role="status" data-cleared={done !== null}>
        {done}
      </p>
    </section>
  )
}
