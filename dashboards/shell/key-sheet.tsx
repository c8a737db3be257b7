'use client'

import { useEffect, useRef } from 'react'
import { type KeyHelp, useBoardKeys } from '../ui/keys'
import styles from './key-sheet.module.css'

/** The keys of every page. Sequences such as `g t` are pressed one after the other. */
const EVERYWHERE: readonly KeyHelp[] = [
  { keys: ['Ctrl', 'K'], does: 'search, jump and act' },
  { keys: ['g', 'l t e o m'], does: 'Live, Traces, Errors, Logs, Metrics' },
  { keys: ['g', 'v d s i c r'], does: 'Envelopes, Deliveries, Losses, Limits, Contract, Runs' },
  { keys: ['['], does: 'fold the navigation' },
  { keys: ['?'], does: 'show this help' },
]

interface KeySheetProps {
  readonly onClose: () => void
}

/** All keys of the page in a dialog. Mounted while it is open. */
export function KeySheet({ onClose }: KeySheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const board = useBoardKeys()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
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
