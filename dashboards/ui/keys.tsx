'use client'

import { useEffect, useEffectEvent, useRef } from 'react'
import styles from './keys.module.css'

export interface KeyHelp {
  readonly keys: readonly string[]
  readonly does: string
}

/** Keyboard shortcuts in a dialog, opened by a button and by `?`. */
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
          {[...help, { keys: ['?'], does: 'show this help' }].map((line) => (
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

/** Actions by key. An action returns `false` to leave the key to the browser. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => boolean | undefined>>

/** Page-wide keys, by `event.key`. Inactive while typing, in dialogs and with modifiers. */
export function useKeys(keys: KeyMap): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
    const act = keys[event.key]
    if (act !== undefined && act(event) !== false) event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
}
