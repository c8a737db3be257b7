'use client'

import type { Span } from '../../lib/wire/trace'
import { type KeyMap, useKeys } from '../ui/keys'
import { isPageFocused } from '../ui/navigation'
import { around, fractionOf, pan, type TimeWindow, zoom } from './time-axis'
import { type TreeRow, treeMove } from './tree-rows'

interface TraceKeys {
  readonly rows: readonly TreeRow<Span>[]
  /** Index of the cursor's row; -1 for none. */
  readonly at: number
  readonly window: TimeWindow
  readonly full: TimeWindow
  readonly setWindow: (window: TimeWindow) => void
  readonly move: (id: string) => void
  readonly fold: (id: string, closed: boolean) => void
  readonly open: (id: string) => void
  /** Returns `false` when nothing was open. */
  readonly close: () => boolean
}

const TREE_KEYS = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'PageUp'] as const
const TREE_LETTERS = ['j', 'k', 'h', 'l'] as const

export const TRACE_KEY_HELP = [
  { keys: ['j', 'k'], does: 'next, previous span (also ↓ ↑)' },
  { keys: ['→', '←'], does: 'expand, collapse; go to child, parent' },
  { keys: ['Home', 'End'], does: 'first, last span' },
  { keys: ['Enter'], does: 'show the span' },
  { keys: ['Esc'], does: 'close the panel, then reset the zoom' },
  { keys: ['f'], does: 'fit the span (also double-click)' },
  { keys: ['w', 's'], does: 'zoom in, out' },
  { keys: ['a', 'd'], does: 'pan left, right' },
  { keys: ['0'], does: 'show the whole trace' },
] as const

/** The keyboard of the waterfall. Arrow keys work only while the waterfall or nothing has the focus. */
export function useTraceKeys({ rows, at, window, full, setWindow, move, fold, open, close }: TraceKeys): void {
  const row = rows[at]
  const moveInTree = (event: KeyboardEvent): boolean => {
    const done = treeMove(event.key, rows, at)
    if (done === null) return false
    if (done.kind === 'go') {
      const target = rows[done.index]
      if (target !== undefined) move(target.id)
    } else fold(done.id, done.kind === 'collapse')
    return true
  }
  const moveInFocusedTree = (event: KeyboardEvent): boolean => inTree() && moveInTree(event)
  // Zooming keeps the position of the cursor's span if it is in the window.
  const anchor = (): number => {
    const position = row === undefined ? 0.5 : fractionOf(window, (row.node.span.startUs + row.node.span.endUs) / 2)
    return position >= 0 && position <= 1 ? position : 0.5
  }
  const show = (next: TimeWindow): true => {
    setWindow(next)
    return true
  }
  const keys: KeyMap = {
    ...Object.fromEntries(TREE_KEYS.map((key) => [key, moveInFocusedTree])),
    ...Object.fromEntries(TREE_LETTERS.map((key) => [key, moveInTree])),
    Enter: () => {
      if (row === undefined || !inTree()) return false
      open(row.id)
      return true
    },
    Escape: close,
    w: () => show(zoom(window, full, 0.6, anchor())),
    s: () => show(zoom(window, full, 1 / 0.6, anchor())),
    a: () => show(pan(window, full, -0.2)),
    d: () => show(pan(window, full, 0.2)),
    f: () => (row === undefined ? false : show(around(row.node.span, full))),
    '0': () => show(full),
  }
  useKeys(keys)
}

function inTree(): boolean {
  const focused = document.activeElement
  return focused === null || isPageFocused() || focused.closest('[role=treegrid]') === focused
}
