'use client'

import { useState } from 'react'
import type { DeadLetterOrder } from '../../lib/wire/delivery'
import { client } from '../ui/client'
import { ConfirmButton } from '../ui/confirm-button'
import { ledgerHref } from '../ui/links'
import { notifyDone } from '../ui/live-stream'
import { printable } from '../ui/printable'
import styles from './dead-letters.module.css'
import { doneText, dropText, progressText } from './order-text'

interface OneDeadLetterProps {
  readonly seq: number
  /** It is one now. What was said of it stays when it ceases to be. */
  readonly isDead: boolean
  /** Nothing is said of it any more. */
  readonly isSettled: boolean
}

/** On the page of an envelope that upstream refused: send it again, or drop it. */
export function OneDeadLetter({ seq, isDead, isSettled }: OneDeadLetterProps) {
  const [said, setSaid] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [wasDead, setWasDead] = useState(isDead)
  if (wasDead !== isDead) {
    setWasDead(isDead)
    // It came back: what was said of the last time is over.
    if (isDead) setSaid(null)
  }
  const order = async (does: DeadLetterOrder['do']): Promise<void> => {
    setBusy(true)
    setSaid(progressText(does, 0, null))
    try {
      setSaid(doneText(does, await client.orderDeadLetters({ do: does, which: [seq] }), 1))
    } catch (error) {
      setSaid(`It could not be done: ${printable(error instanceof Error ? error.message : String(error))}`)
    }
    notifyDone()
    setBusy(false)
  }
  if (!isDead && (said === null || isSettled)) return null
  return (
    <div className={`banner ${isDead ? 'bad' : ''} ${styles.letter}`}>
      {isDead && (
        <>
          <p>
            <strong>A dead letter:</strong> upstream refused it for what it is, or failed at it. It waits until a person
            sends it again or drops it.
          </p>
          <div className={styles.ways}>
            <button type="button" className="button" disabled={busy} onClick={() => void order('send')}>
              Send again
            </button>
            <ConfirmButton
              label="Drop"
              words={dropText(1)}
              keep={dropText(1).keep}
              confirm="Drop"
              disabled={busy}
              act={() => order('drop')}
              grave
            />
            <a href={ledgerHref('dead-letters')}>All dead letters</a>
          </div>
        </>
      )}
      <p role="status">{said}</p>
    </div>
  )
}
