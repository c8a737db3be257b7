'use client'

import type { TraceSpan } from '../../lib/wire/trace-columns'
import { type KeyMap, useKeys } from '../ui/keys'
import { isPageFocused } from '../ui/navigation'
import { around, fractionOf, pan, type TimeWindow, zoom } from './time-axis'
import { type TreeRow, timesOf, treeMove } from './tree-rows'
import { VIEWS } from './use-trace-state'

interface TraceKeys {
  readonly rows: readonly TreeRow<TraceSpan>[]
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
  /** Puts the focus into the search field. */
  readonly find: () => void
  /** These return `false` when there is nothing to go to. */
  readonly stepError: (by: 1 | -1) => boolean
  readonly stepPath: (by: 1 | -1) => boolean
  /** Shows only the subtree of a span, or all again. */
  readonly focus: (id: string) => void
  readonly toggleGroups: () => void
  readonly toggleMatches: () => void
  readonly togglePath: () => void
  /** Goes to the span with the most time on the critical path. */
  readonly longest: () => boolean
  /** Opens a view by its place among the tabs, from 0. */
  readonly view: (at: number) => boolean
}

const TREE_KEYS = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageDown', 'PageUp'] as const
const TREE_LETTERS = ['j', 'k', 'h', 'l'] as const

export const TRACE_KEY_HELP = [
  { keys: ['j', 'k'], does: 'next, previous span (also ↓ ↑)' },
  { keys: ['→', '←'], does: 'expand, collapse; go to child, parent' },
  { keys: ['Home', 'End'], does: 'first, last span' },
  { keys: ['Enter'], does: 'show the span' },
  { keys: ['Esc'], does: 'close the panel, then reset the zoom, then leave the subtree' },
  { keys: ['/'], does: 'find in the trace; Enter and Shift Enter step' },
  { keys: ['e', 'E'], does: 'next, previous failed span' },
  { keys: ['.', ','], does: 'next, previous section of the critical path' },
  { keys: ['b'], does: 'the span with the most time on the critical path' },
  { keys: ['m', 'p'], does: 'only matches, only the path, or all again' },
  { keys: ['1 – 7'], does: 'views: waterfall, flame graph …' },
  { keys: ['r'], does: 'show only the subtree of the span, or all again' },
  { keys: ['z'], does: 'group siblings, or not' },
  { keys: ['f'], does: 'fit the span (also double-click)' },
  { keys: ['w', 's'], does: 'zoom in, out' },
  { keys: ['a', 'd'], does: 'pan left, right' },
  { keys: ['t'], does: 'copy the shown span as an assertion' },
  { keys: ['y', 'Y'], does: 'copy its link, or Markdown' },
  { keys: ['0'], does: 'show the whole trace' },
] as const

/** The keyboard of the waterfall. Arrow keys work only while the waterfall or nothing has the focus. */
export function useTraceKeys(trace: TraceKeys): void {
  const { rows, at, window, full, setWindow, move, fold, open, close } = trace
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
    const position = row === undefined ? 0.5 : fractionOf(window, (timesOf(row).startUs + timesOf(row).endUs) / 2)
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
    f: () => (row === undefined ? false : show(around(timesOf(row), full))),
    '0': () => show(full),
    '/': () => done(trace.find),
    e: () => trace.stepError(1),
    E: () => trace.stepError(-1),
    '.': () => trace.stepPath(1),
    ',': () => trace.stepPath(-1),
    r: () => {
      if (row?.kind !== 'span') return false
      trace.focus(row.id)
      return true
    },
    z: () => done(trace.toggleGroups),
    m: () => done(trace.toggleMatches),
    p: () => done(trace.togglePath),
    b: trace.longest,
    ...Object.fromEntries(VIEWS.map((_, at) => [`${at + 1}`, () => trace.view(at)])),
  }
  useKeys(keys)
}

function done(act: () => void): true {
  act()
  return true
}

function inTree(): boolean {
  const focused = document.activeElement
  return focused === null || isPageFocused() || focused.closest('[role=treegrid]') === focused
}
