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
  // The record may have more than this collector has copied.
  const isShared = storage.store !== undefined
  const isStoreAway = storage.store?.away != null
  const act = (pending: boolean, done: string) => async (): Promise<void> => {
    await clear({ pending })
    setResult(done)
  }
  return (
    <Section id="clear" title="Clear" className={styles.section}>
      <div className={styles.action}>
        <p className="soft">
          Deletes settled records and their rows{isShared && ', in PostgreSQL and at every collector'}. Pending
          envelopes and dead letters stay.
        </p>
        <ConfirmButton
          label="Clear settled records"
          text={clearText(storage)}
          confirm="Clear"
          disabled={away || isStoreAway || (!isShared && settledRecords(storage) === 0)}
          act={act(false, 'Settled records cleared.')}
        />
      </div>
      <div className={styles.action}>
        <p className="soft">
          Deletes everything{isShared && ', in PostgreSQL and at every collector'}, including envelopes that upstream
          has not received.
        </p>
        <ConfirmButton
          label="Drop pending envelopes too"
          text={dropText(storage)}
          confirm="Drop and clear"
          disabled={away || isStoreAway || (!isShared && storage.records === 0)}
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

type Counts = Pick<Storage, 'records' | 'pending' | 'deadLetters' | 'store'>

/** Says how many of the records of a shared record the counts are about. */
const inCopy = ({ store }: Counts): string =>
  store === undefined
    ? ''
    : ' They are deleted in PostgreSQL and at every collector; the number is that of the copy here, and the record may have more.'

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
    goes: `${plural(settledRecords(storage), 'record')} and their rows are deleted and disappear from all pages.${inCopy(storage)}`,
    stays: stays.join(' '),
    warning: null,
  }
}

/** The confirmation of dropping pending envelopes and dead letters as well. */
export function dropText(storage: Counts): ConfirmText {
  const { records, pending, deadLetters } = storage
  const lost = pending.records + deadLetters.records
  return {
    goes: `All ${plural(records, 'record')} and their rows are deleted.${inCopy(storage)}`,
    stays: lost === 0 ? `Nothing is pending, so no envelope is lost. ${COUNTERS}` : COUNTERS,
    warning:
      lost === 0
        ? null
        : `${plural(lost, 'envelope')} will never reach upstream. ${lost === 1 ? 'It counts' : 'They count'} as dropped.`,
  }
}
