'use client'

import { useId, useRef, useState } from 'react'
import styles from './confirm-button.module.css'
import { printable } from './printable'

export interface ConfirmText {
  readonly goes: string
  readonly stays: string
  /** Names data that cannot be restored; `null` when only views are lost. */
  readonly warning: string | null
}

interface ConfirmButtonProps {
  readonly label: string
  readonly text: ConfirmText
  readonly confirm: string
  readonly disabled: boolean
  /** Rejects when the action fails. */
  readonly act: () => Promise<void>
  readonly keep?: string
  readonly grave?: boolean
}

/** A button with a confirmation dialog. Cancel has the focus, so that pressing Enter twice changes nothing. */
export function ConfirmButton({
  label,
  text,
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
        aria-describedby={`${id}-text`}
        closedby="any"
      >
        <h2 id={`${id}-title`}>{label}?</h2>
        <div id={`${id}-text`} className={styles.text}>
          {text.warning !== null && (
            <p className="banner bad">
              <strong>{text.warning}</strong>
            </p>
          )}
          <p>{text.goes}</p>
          <p className="soft">{text.stays}</p>
        </div>
        {failure !== null && (
          <p className="banner bad" role="alert">
            The action failed: {printable(failure)}
          </p>
        )}
        <form method="dialog" className={styles.buttons}>
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
