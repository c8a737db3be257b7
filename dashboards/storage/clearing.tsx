'use client'

import { useEffect, useRef, useState } from 'react'
import { plural } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import { ConfirmButton, type ConfirmText } from '../ui/confirm-button'
import { Section } from '../ui/section'
import styles from './storage-board.module.css'

interface ClearingProps {
  readonly storage: Storage
  readonly away: boolean
  readonly clear: (options: { readonly pending: boolean }) => Promise<void>
}

/** Two buttons: one deletes settled records, the other also pending envelopes, which are then lost. */
export function Clearing({ storage, away, clear }: ClearingProps) {
  const [result, setResult] = useState<string | null>(null)
  const status = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    // The pressed button may be disabled now, so the focus moves to the result.
    if (result !== null) status.current?.focus()
  }, [result])
  const act = (pending: boolean, done: string) => async (): Promise<void> => {
    await clear({ pending })
    setResult(done)
  }
  return (
    <Section id="clear" title="Clear" className={styles.section}>
      <div className={styles.action}>
        <p className="soft">Deletes settled records and their rows. Pending envelopes and dead letters stay.</p>
        <ConfirmButton
          label="Clear settled records"
          text={clearText(storage)}
          confirm="Clear"
          disabled={away || settledRecords(storage) === 0}
          act={act(false, 'Settled records cleared.')}
        />
      </div>
      <div className={styles.action}>
        <p className="soft">Deletes everything, including envelopes that upstream has not received.</p>
        <ConfirmButton
          label="Drop pending envelopes too"
          text={dropText(storage)}
          confirm="Drop and clear"
          disabled={away || storage.records === 0}
          act={act(true, 'Pending envelopes dropped, all records cleared.')}
          grave
        />
      </div>
      <p ref={status} tabIndex={-1} role="status" data-cleared={result !== null}>
        {result}
      </p>
    </Section>
  )
}

type Counts = Pick<Storage, 'records' | 'pending' | 'deadLetters'>

const COUNTERS = 'Counts of received items and their outcomes stay, and numbering continues.'

/** The number of records that clearing deletes: neither pending nor dead letters. */
export const settledRecords = ({ records, pending, deadLetters }: Counts): number =>
  Math.max(0, records - pending.records - deadLetters.records)

export function clearText(storage: Counts): ConfirmText {
  const { pending, deadLetters } = storage
  const stays = [
    pending.records === 0
      ? 'Nothing is pending.'
      : `${plural(pending.records, 'pending envelope')} ${pending.records === 1 ? 'stays and is' : 'stay and are'} relayed.`,
    ...(deadLetters.records === 0
      ? []
      : [`${plural(deadLetters.records, 'dead letter')} ${deadLetters.records === 1 ? 'stays' : 'stay'}.`]),
    COUNTERS,
  ]
  return {
    goes: `${plural(settledRecords(storage), 'record')} and their rows are deleted and disappear from all pages.`,
    stays: stays.join(' '),
    warning: null,
  }
}

/** The confirmation of dropping pending envelopes and dead letters as well. */
export function dropText({ records, pending, deadLetters }: Counts): ConfirmText {
  const lost = pending.records + deadLetters.records
  return {
    goes: `All ${plural(records, 'record')} and their rows are deleted.`,
    stays: lost === 0 ? `Nothing is pending, so no envelope is lost. ${COUNTERS}` : COUNTERS,
    warning:
      lost === 0
        ? null
        : `${plural(lost, 'envelope')} will never reach upstream. ${lost === 1 ? 'It counts' : 'They count'} as dropped.`,
  }
}
