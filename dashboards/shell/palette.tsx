'use client'

import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from 'react'
import { client } from '../ui/client'
import { Glyph, Icon } from '../ui/glyph'
import { navigate } from '../ui/navigation'
import { type ActionsOf, actionsOf } from './actions'
import { ENTRIES } from './entries'
import styles from './palette.module.css'
import {
  actionItem,
  boardItem,
  errorItem,
  markedParts,
  matchItems,
  type PaletteItem,
  pastedItems,
  SCOPES,
  type Scope,
  traceItem,
  wordsOf,
} from './palette-items'
import { type Pasted, pastedItem } from './pasted'

const BOARD_ITEMS = ENTRIES.map(boardItem)
/** Newest traces and errors, kept between openings: the first results come from memory. */
let recent: readonly PaletteItem[] = []
const RECENT = 50
const SEARCH_AFTER_MS = 150

/** Reads the newest traces and errors, the first lines of the palette. */
export async function readRecent(signal = new AbortController().signal): Promise<void> {
  recent = await search('', RECENT, signal)
}

async function search(text: string, limit: number, signal: AbortSignal): Promise<readonly PaletteItem[]> {
  const filter = text === '' ? {} : { text }
  const [traces, events] = await Promise.all([
    client.traces({ filter, limit, signal }),
    client.events({ filter, limit, signal }),
  ])
  return [...traces.traces.map(traceItem), ...events.events.map(errorItem)]
}

interface PaletteProps extends ActionsOf {
  readonly onClose: () => void
}

/** Traces, errors, boards and actions in one list, in a dialog. Mounted while it is open. */
export function Palette({ onClose, ...options }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [scope, setScope] = useState<Scope>('Everything')
  const [at, setAt] = useState(0)
  const [failure, setFailure] = useState<string | null>(null)
  const [, showRecent] = useReducer((reads: number) => reads + 1, 0)
  const found = useFound(text)
  const pasted = pastedItem(text)
  const items = [
    ...(pasted === null ? [] : pastedItems(pasted)),
    ...recent,
    ...BOARD_ITEMS,
    ...actionsOf(options).map(actionItem),
  ]
  const shownScope = text.startsWith('>') ? 'Actions' : scope
  const first = matchItems(items, pasted === null ? text : '', shownScope)
  const shown = pasted === null ? matchItems(found, text, shownScope, first) : first.filter(isOpening)
  const current = shown[Math.min(at, shown.length - 1)]

  useEffect(() => {
    dialog.current?.showModal()
    const aborter = new AbortController()
    // The status line already says that the collector does not answer.
    readRecent(aborter.signal).then(showRecent, () => null)
    return () => aborter.abort()
  }, [])

  const act = async (item: PaletteItem, inNewTab = false): Promise<void> => {
    try {
      if (item.href !== null && inNewTab) window.open(item.href, '_blank', 'noopener')
      else if (item.href !== null) navigate(item.href)
      else await item.run?.()
      onClose()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  /** An id of 32 digits opens the error that has it, else the trace. */
  const actOnFirst = async (item: PaletteItem, of: Pasted | null, inNewTab = false): Promise<void> => {
    const isError = of?.kind === 'id' && (await client.event(of.id).catch(() => null)) !== null
    await act((isError && of !== null && pastedItems(of)[1]) || item, inNewTab)
  }
  /** A pasted id opens its item at once. */
  const openPasted = async (clipboard: string): Promise<void> => {
    const found = text === '' ? pastedItem(clipboard) : null
    const [item] = found === null ? [] : pastedItems(found)
    if (item !== undefined) await actOnFirst(item, found)
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((Math.min(at, shown.length - 1) + step + shown.length) % Math.max(1, shown.length))
    else if (event.key === 'Enter' && current !== undefined)
      void actOnFirst(current, at === 0 ? pasted : null, event.ctrlKey || event.metaKey)
    else if (event.key === 'Tab') {
      setScope(SCOPES[(SCOPES.indexOf(scope) + (event.shiftKey ? SCOPES.length - 1 : 1)) % SCOPES.length] ?? scope)
      setAt(0)
    } else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className={styles.palette} aria-label="Search or jump to" closedby="any" onClose={onClose}>
      <div className={styles.head}>
        <Glyph name="find" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-items"
          aria-activedescendant={current === undefined ? undefined : `palette-${shown.indexOf(current)}`}
          aria-label="Search or jump to"
          placeholder="Search or jump to"
          value={text}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
          onPaste={(event) => void openPasted(event.clipboardData.getData('text'))}
        />
        <span className={styles.scopes}>
          {SCOPES.map((name) => (
            <button
              key={name}
              type="button"
              tabIndex={-1}
              aria-pressed={name === shownScope}
              onClick={() => setScope(name)}
            >
              {name}
            </button>
          ))}
        </span>
      </div>
      {failure !== null && (
        <p className="banner bad" role="alert">
          {failure}
        </p>
      )}
      <div id="palette-items" role="listbox" aria-label="Results" className={styles.items}>
        {shown.map((item, index) => (
          <Line
            key={item.id}
            item={item}
            id={`palette-${index}`}
            words={wordsOf(text)}
            section={item.section === shown[index - 1]?.section ? null : item.section}
            isCurrent={item === current}
            onChoose={(inNewTab) => void act(item, inNewTab)}
          />
        ))}
        {shown.length === 0 && <p className={styles.none}>Nothing matches. Paste any id, or type &gt; for actions.</p>}
      </div>
      <p className={styles.foot} aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> new tab
        </span>
        <span>
          <kbd>Tab</kbd> next scope
        </span>
        <span className={styles.push}>
          Paste any id. Type <kbd>&gt;</kbd> for actions
        </span>
      </p>
    </dialog>
  )
}

const isOpening = ({ section }: PaletteItem): boolean => section === 'Opens'

/** Lines that the collector finds for a text, a moment after typing. */
function useFound(text: string): readonly PaletteItem[] {
  const [found, setFound] = useState<{ readonly text: string; readonly items: readonly PaletteItem[] } | null>(null)
  useEffect(() => {
    const words = text.trim()
    if (words.length < 2 || words.startsWith('>') || pastedItem(words) !== null) return
    const aborter = new AbortController()
    const timer = window.setTimeout(() => {
      search(words, 10, aborter.signal).then(
        (items) => setFound({ text, items }),
        // As above: the lines from memory stay.
        () => null,
      )
    }, SEARCH_AFTER_MS)
    return () => {
      window.clearTimeout(timer)
      aborter.abort()
    }
  }, [text])
  return found?.text === text ? found.items : []
}

interface LineProps {
  readonly item: PaletteItem
  readonly id: string
  readonly words: readonly string[]
  /** The heading above the line; `null` if the line before has the same. */
  readonly section: string | null
  readonly isCurrent: boolean
  readonly onChoose: (inNewTab: boolean) => void
}

function Line({ item, id, words, section, isCurrent, onChoose }: LineProps) {
  const line = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <>
      {section !== null && (
        <p className={styles.section} role="presentation">
          {section}
        </p>
      )}
      {/* The field above keeps the focus; its keys choose a line. */}
      <button
        type="button"
        ref={line}
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isCurrent}
        className={styles.item}
        onClick={(event) => onChoose(event.ctrlKey || event.metaKey)}
      >
        {item.icon !== null && <Icon name={item.icon} />}
        {item.glyph !== null && <Glyph name={item.glyph} />}
        <bdi className={styles.name}>
          {markedParts(item.name, words).map(({ text, isHit }, index) =>
            // The parts of one text have no other identity.
            isHit ? <mark key={index}>{text}</mark> : text,
          )}
        </bdi>
        <bdi className={styles.sub}>{item.sub}</bdi>
        <span className={styles.meta}>
          {item.meta}
          {item.keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      </button>
    </>
  )
}
