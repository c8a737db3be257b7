'use client'

import { useId, useRef, useState } from 'react'
import type { ConfirmText } from '../storage/clearing'
import styles from './confirm-button.module.css'
import { printable } from './printable'

interface ConfirmButtonProps {
  readonly label: string
  readonly words: ConfirmText
  /** What the button says that does it. */
  readonly confirm: string
  readonly disabled: boolean
  /** Rejects when it could not be done. */
  readonly act: () => Promise<void>
  /** What the button says that leaves all as it is. */
  readonly keep?: string
  /** It loses more than a view. */
  readonly grave?: boolean
}

/**
 * A button that first says what will go and what stays. The way back comes first, so that it has the focus: Enter twice
 * in a row changes nothing.
 */
export function ConfirmButton({
  label,
  words,
  confirm,
  keep = 'Keep them',
  disabled,
  act,
  grave = false,
}: ConfirmButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const open = (): void => {
    setFailure(null)
    dialog.current?.showModal()
  }
  const go = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await act()
      dialog.current?.close()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" className={`button ${grave ? styles.grave : ''}`} onClick={open} disabled={disabled}>
        {label} …
      </button>
      <dialog
        ref={dialog}
        className="dialog"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-words`}
        closedby="any"
      >
        <h2 id={`${id}-title`}>{label}?</h2>
        <div id={`${id}-words`} className={styles.words}>
          {words.warning !== null && (
            <p className="banner bad">
              <strong>{words.warning}</strong>
            </p>
          )}
          <p>{words.goes}</p>
          <p className="soft">{words.stays}</p>
        </div>
        {failure !== null && (
          <p className="banner bad" role="alert">
            It could not be done: {printable(failure)}
          </p>
        )}
        <form method="dialog" className={styles.ways}>
          <button type="submit" className="button">
            {keep}
          </button>
          <button type="button" className={`button ${grave ? styles.grave : 'primary'}`} onClick={go} disabled={busy}>
            {confirm}
          </button>
        </form>
      </dialog>
    </>
  )
}
