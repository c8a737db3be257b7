'use client'

import { useEffect, useRef, useState } from 'react'
import { plural } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import { ConfirmButton } from '../ui/confirm-button'
import styles from './storage-board.module.css'

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
          words={clearText(storage)}
          confirm="Clear"
          disabled={away || owesNothing(storage) === 0}
          act={act(false, 'Cleared what pending nothing.')}
        />
      </div>
      <div className={styles.way}>
        <p className="soft">Takes away everything, also what upstream has not had.</p>
        <ConfirmButton
          label="Drop what is pending too"
          words={dropText(storage)}
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

export interface ConfirmText {
  readonly goes: string
  readonly stays: string
  /** What cannot be undone, where it is more than a view that is lost. */
  readonly warning: string | null
}

const COUNTERS = 'Counts of what was received and of what became of it stay, and numbers go on.'

type Cleared = Pick<Storage, 'records' | 'pending' | 'deadLetters'>

/** Records that owe nothing, dead letters aside: what clearing takes away. */
export const owesNothing = ({ records, pending, deadLetters }: Cleared): number =>
  Math.max(0, records - pending.records - deadLetters.records)

/** What will go and what stays when everything is cleared that owes nothing. */
export function clearText(storage: Cleared): ConfirmText {
  const { pending, deadLetters } = storage
  const stays = [
    pending.records === 0
      ? 'Nothing is pending just now.'
      : `${plural(pending.records, 'envelope')} that upstream is pending ${pending.records === 1 ? 'stays and is' : 'stay and are'} relayed.`,
    ...(deadLetters.records === 0
      ? []
      : [`${plural(deadLetters.records, 'dead letter')} ${deadLetters.records === 1 ? 'stays' : 'stay'}.`]),
    COUNTERS,
  ]
  return {
    goes: `${plural(owesNothing(storage), 'record')} and their rows will go: they show in no list and no trace any more.`,
    stays: stays.join(' '),
    warning: null,
  }
}

/** What will go when what is pending is dropped too, dead letters with it. */
export function dropText({ records, pending, deadLetters }: Cleared): ConfirmText {
  const lost = pending.records + deadLetters.records
  return {
    goes: `All ${plural(records, 'record')} and their rows will go.`,
    stays: lost === 0 ? `Nothing is pending just now, so no envelope is lost to upstream. ${COUNTERS}` : COUNTERS,
    warning:
      lost === 0
        ? null
        : `${plural(lost, 'envelope')} will never reach upstream. ${lost === 1 ? 'It ends' : 'They end'} as dropped.`,
  }
}
