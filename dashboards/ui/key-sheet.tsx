'use client'

import { useRef } from 'react'
import styles from './key-sheet.module.css'
import { useKeys } from './use-keys'

export interface KeyHelp {
  readonly keys: readonly string[]
  readonly does: string
}

/** What the keyboard can do here: a button, and `?`. */
export function KeySheet({ help }: { readonly help: readonly KeyHelp[] }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const show = (): undefined => {
    dialog.current?.showModal()
  }
  useKeys({ '?': show })
  return (
    <>
      <button
        type="button"
        className={styles.open}
        onClick={show}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
      >
        ?
      </button>
      <dialog ref={dialog} className={`dialog ${styles.sheet}`} aria-labelledby="key-sheet-title" closedby="any">
        <h2 id="key-sheet-title">Keyboard shortcuts</h2>
        <dl>
          {[...help, { keys: ['?'], does: 'this sheet' }].map((line) => (
            <div key={line.does}>
              <dt>
                {line.keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{line.does}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit" className="button">
            Close
          </button>
        </form>
      </dialog>
    </>
  )
}
