'use client'

import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import styles from './keys.module.css'

export interface KeyHelp {
  readonly keys: readonly string[]
  readonly does: string
}

/** The keys of every page. Sequences such as `g t` are pressed one after the other. */
const EVERYWHERE: readonly KeyHelp[] = [
  { keys: ['Ctrl', 'K'], does: 'search, jump and act' },
  { keys: ['g', 'l t e o m'], does: 'Live, Traces, Errors, Logs, Metrics' },
  { keys: ['g', 'v d s i c r'], does: 'Envelopes, Deliveries, Losses, Limits, Contract, Runs' },
  { keys: ['['], does: 'fold the navigation' },
  { keys: ['?'], does: 'show this help' },
]

const NO_KEYS: readonly KeyHelp[] = []
let shown = NO_KEYS
const listeners = new Set<() => void>()

function show(help: readonly KeyHelp[]): void {
  shown = help
  for (const listener of listeners) listener()
}

function follow(changed: () => void): () => void {
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
  }
}

/** Adds the keys of a board to the help that `?` shows, while the board is mounted. Keep the same array. */
export function useKeyHelp(help: readonly KeyHelp[]): void {
  useEffect(() => {
    show(help)
    return () => show(NO_KEYS)
  }, [help])
}

interface KeySheetProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** All keys of the page in a dialog. */
export function KeySheet({ isOpen, onClose }: KeySheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const board = useSyncExternalStore(
    follow,
    () => shown,
    () => NO_KEYS,
  )
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${styles.sheet}`}
      aria-labelledby="key-sheet-title"
      closedby="any"
      onClose={onClose}
    >
      <h2 id="key-sheet-title">Keyboard shortcuts</h2>
      {board.length > 0 && <KeyList title="On this page" help={board} />}
      <KeyList title="Everywhere" help={EVERYWHERE} />
      <form method="dialog">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </dialog>
  )
}

const KeyList = ({ title, help }: { readonly title: string; readonly help: readonly KeyHelp[] }) => (
  <>
    <h3>{title}</h3>
    <dl>
      {help.map((line) => (
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
  </>
)

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

/** Whether keys belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  // A menu finds its entries by their first letters.
  if (target.closest('[role="menu"]') !== null) return true
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
}
