'use client'

import type { Span } from '../../lib/wire/trace'
import { type KeyMap, useKeys } from '../ui/keys'
import { around, fractionOf, pan, type TimeWindow, zoom } from './time-axis'
import { type TreeRow, treeMove } from './tree-rows'

interface TraceKeys {
  readonly rows: readonly TreeRow<Span>[]
  /** Row of the cursor, -1 for none. */
  readonly at: number
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly setWindow: (window: TimeWindow) => void
  readonly move: (id: string) => void
  readonly fold: (id: string, closed: boolean) => void
  readonly open: (id: string) => void
  /** `false` when there was nothing to close. */
  readonly close: () => boolean
}

const TREE_KEYS = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'PageUp'] as const
const TREE_LETTERS = ['j', 'k', 'h', 'l'] as const

export const TRACE_KEY_HELP = [
  { keys: ['j', 'k'], does: 'next, previous span (also ↓ ↑)' },
  { keys: ['→', '←'], does: 'open and close; into and out of it' },
  { keys: ['Home', 'End'], does: 'first, last span' },
  { keys: ['Enter'], does: 'show the span' },
  { keys: ['Esc'], does: 'close the panel, then reset the zoom' },
  { keys: ['f'], does: 'fit the span (also double-click)' },
  { keys: ['w', 's'], does: 'closer, farther' },
  { keys: ['a', 'd'], does: 'earlier, later' },
  { keys: ['0'], does: 'show the whole trace' },
] as const

/** The keyboard of the waterfall. Arrows belong to it only while it, or nothing, has the focus. */
export function useTraceKeys({ rows, at, window, full, setWindow, move, fold, open, close }: TraceKeys): void {
  const row = rows[at]
  const walk = (event: KeyboardEvent): boolean => {
    const done = treeMove(event.key, rows, at)
    if (done === null) return false
    if (done.kind === 'go') {
      const target = rows[done.index]
      if (target !== undefined) move(target.id)
    } else fold(done.id, done.kind === 'collapse')
    return true
  }
  const walkHere = (event: KeyboardEvent): boolean => inTree() && walk(event)
  // Zooming keeps the cursor's span where it is, when it is in sight.
  const anchor = (): number => {
    const place = row === undefined ? 0.5 : fractionOf(window, (row.node.span.startUs + row.node.span.endUs) / 2)
    return place >= 0 && place <= 1 ? place : 0.5
  }
  const look = (next: TimeWindow): true => {
    setWindow(next)
    return true
  }
  const keys: KeyMap = {
    ...Object.fromEntries(TREE_KEYS.map((key) => [key, walkHere])),
    ...Object.fromEntries(TREE_LETTERS.map((key) => [key, walk])),
    Enter: () => {
      if (row === undefined || !inTree()) return false
      open(row.id)
      return true
    },
    Escape: close,
    w: () => look(zoom(window, full, 0.6, anchor())),
    s: () => look(zoom(window, full, 1 / 0.6, anchor())),
    a: () => look(pan(window, full, -0.2)),
    d: () => look(pan(window, full, 0.2)),
    f: () => (row === undefined ? false : look(around(row.node.span, full))),
    '0': () => look(full),
  }
  useKeys(keys)
}

function inTree(): boolean {
  const focused = document.activeElement
  return focused === null || focused === document.body || focused.closest('[role=treegrid]') === focused
}
