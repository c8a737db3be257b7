'use client'

import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows above and below the visible ones that are in the document too, except after a jump: its rows are all new. */
const OVERSCAN = 6

interface Range {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

interface VisibleRows {
  /** The rows that are in view. */
  readonly range: Range
  /** Indices of the rows to render in order: those in view, some on both sides, and the pinned one. */
  readonly indices: readonly number[]
  /** Scrolls a row into view: only if it is outside, or to the top. */
  readonly bring: (index: number, to?: 'nearest' | 'top') => void
}

/**
 * The rows of a scroller that are in view. All have one height, so that positions are products.
 * @param headHeight of the sticky head above the rows, in px
 * @param pinned a row that is rendered also out of view; -1 for none
 */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly { readonly id: string }[],
  {
    rowHeight,
    headHeight,
    pinned,
  }: { readonly rowHeight: number; readonly headHeight: number; readonly pinned: number },
): VisibleRows {
  const [{ range, overscan }, setShown] = useState(() => ({ range: firstRange(rowHeight), overscan: OVERSCAN }))
  const read = useEffectEvent((element: HTMLElement) => {
    const next = rangeOf(element, rowHeight, headHeight)
    setShown((now) => {
      if (isSame(now.range, next)) return now
      const isJump = next.from >= now.range.to || next.to <= now.range.from
      return { range: next, overscan: isJump ? 0 : OVERSCAN }
    })
  })
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    // Rendered within the event of scrolling, before the frame is painted: a later task would show empty rows.
    const onScroll = (): void => flushSync(() => read(element))
    const watch = new ResizeObserver(() => read(element))
    watch.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller])
  const before = useRef(rows)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    keepPosition(element, before.current, rows, rowHeight)
    before.current = rows
    const next = rangeOf(element, rowHeight, headHeight)
    setShown((now) => (isSame(now.range, next) ? now : { range: next, overscan: OVERSCAN }))
  }, [scroller, rows, rowHeight, headHeight])

  const { length } = rows
  const indices = useMemo(() => {
    const first = Math.max(0, Math.min(range.from, length) - overscan)
    const end = Math.min(length, range.to + overscan)
    const shown = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at)
    if (pinned < 0 || (pinned >= first && pinned < end)) return shown
    return pinned < first ? [pinned, ...shown] : [...shown, pinned]
  }, [range, overscan, length, pinned])
  const bring = (index: number, to: 'nearest' | 'top' = 'nearest'): void => {
    const element = scroller.current
    if (element === null) return
    const top = index * rowHeight
    const bottom = headHeight + top + rowHeight - element.clientHeight
    if (to === 'top' || top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop) element.scrollTop = bottom
  }
  return { range, indices, bring }
}

const isSame = (one: Range, other: Range): boolean => one.from === other.from && one.to === other.to

/** The part of the window that the rows of a trace have, roughly. */
const SHARE_OF_WINDOW = 0.6

/** The first rows are rendered before anything is measured: measuring an empty grid first would lay out the page twice. */
function firstRange(rowHeight: number): Range {
  const height = typeof window === 'undefined' ? 0 : window.innerHeight * SHARE_OF_WINDOW
  return { from: 0, to: Math.ceil(height / rowHeight) }
}

function rangeOf({ scrollTop, clientHeight }: HTMLElement, rowHeight: number, headHeight: number): Range {
  return { from: Math.floor(scrollTop / rowHeight), to: Math.ceil((scrollTop + clientHeight - headHeight) / rowHeight) }
}

/** Keeps the visible rows in place when rows are inserted above them. */
function keepPosition(
  element: HTMLElement,
  old: readonly { readonly id: string }[],
  rows: readonly { readonly id: string }[],
  rowHeight: number,
): void {
  if (old === rows || element.scrollTop === 0) return
  const top = Math.floor(element.scrollTop / rowHeight)
  const now = new Map(rows.map((row, at) => [row.id, at]))
  // The first row that still exists, in case the topmost one was removed.
  for (let at = top; at < old.length; at++) {
    const id = old[at]?.id
    const moved = id === undefined ? undefined : now.get(id)
    if (moved === undefined) continue
    if (moved !== at) element.scrollTop += (moved - at) * rowHeight
    return
  }
}
