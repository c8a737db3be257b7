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
  /** It is a dead letter now. The result of an action stays visible when it no longer is one. */
  readonly isDead: boolean
  /** Its outcome is decided: hide the result. */
  readonly isSettled: boolean
}

/** On the page of a dead letter: buttons that send it again or drop it. */
export function OneDeadLetter({ seq, isDead, isSettled }: OneDeadLetterProps) {
  const [result, setResult] = useState<string | null>(null)
  const [ordered, setOrdered] = useState<DeadLetterOrder['do'] | null>(null)
  const [busy, setBusy] = useState(false)
  const [wasDead, setWasDead] = useState(isDead)
  if (wasDead !== isDead) {
    setWasDead(isDead)
    // It became a dead letter again: discard the old result.
    if (isDead) setResult(null)
  }
  const order = async (does: DeadLetterOrder['do']): Promise<void> => {
    setBusy(true)
    setOrdered(does)
    setResult(progressText(does, 0, null))
    try {
      setResult(doneText(does, await client.orderDeadLetters({ do: does, which: [seq] }), 1))
    } catch (error) {
      setResult(`The action failed: ${printable(error instanceof Error ? error.message : String(error))}`)
    }
    notifyDone()
    setBusy(false)
  }
  // Once a resent envelope is settled, its status says more. A dropped one is settled at once.
  if (!isDead && (result === null || (isSettled && ordered === 'send'))) return null
  return (
    <div className={`banner ${isDead ? 'bad' : ''} ${styles.letter}`}>
      {isDead && (
        <>
          <p>
            <strong>Dead letter:</strong> upstream refused it, or failed while processing it. It waits until a person
            sends it again or drops it.
          </p>
          <div className={styles.buttons}>
            <button type="button" className="button" disabled={busy} onClick={() => void order('send')}>
              Send again
            </button>
            <ConfirmButton
              label="Drop"
              text={dropText(1)}
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
      <p role="status">{result}</p>
    </div>
  )
}
