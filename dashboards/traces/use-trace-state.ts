'use client'

import { useMemo } from 'react'
import { OTHER_PARAM, SPAN_PARAM } from '../ui/links'
import { changeSearch, useSearch } from '../ui/page-address'
import { sameWindow, type TimeWindow, within } from './time-axis'

export const VIEWS = ['waterfall', 'flame', 'operations', 'events', 'map', 'compare', 'json'] as const
export type TraceViewName = (typeof VIEWS)[number]

/** Switches of the waterfall; those that begin with `no-` are on by default. */
export const SWITCHES = ['only', 'errors', 'slow', 'path', 'no-path', 'no-groups', 'clocks'] as const
export type SwitchName = (typeof SWITCHES)[number]

/** Stands for all spans among the folds. */
export const ALL_FOLDED = 'all'

/** Folds beyond these are not kept in the address. */
const MOST_FOLDS = 40

/** Choices of a person on the page of a trace. All of them live in the address, so a link shows the same. */
export interface TraceChoices {
  readonly view: TraceViewName
  readonly spanId: string | null
  /** The open part of the panel. */
  readonly show: string | null
  readonly find: string
  readonly on: ReadonlySet<SwitchName>
  /** Rows that are not as by default: spans are open, groups closed. With `ALL_FOLDED` spans are closed, too. */
  readonly folds: ReadonlySet<string>
  readonly focus: string | null
  /** µs after the start of the trace; `null` without zoom. */
  readonly zoom: TimeWindow | null
}

const split = (text: string | null): readonly string[] => (text ?? '').split(' ').filter(Boolean)

function readChoices(search: string): TraceChoices {
  const params = new URLSearchParams(search)
  const [startUs = Number.NaN, endUs = Number.NaN] = (params.get('zoom') ?? '').split('-').map(Number)
  return {
    view: VIEWS.find((one) => one === params.get('view')) ?? 'waterfall',
    spanId: params.get(SPAN_PARAM),
    show: params.get('show'),
    find: params.get('find') ?? '',
    on: new Set(SWITCHES.filter((one) => split(params.get('with')).includes(one))),
    folds: new Set(split(params.get('fold'))),
    focus: params.get('focus'),
    zoom: endUs > startUs ? { startUs, endUs } : null,
  }
}

/** The choices in the page's address, and how to change them. */
export function useTraceChoices() {
  const search = useSearch()
  const choices = useMemo(() => readChoices(search ?? ''), [search])
  return { choices, change }
}

type Changes = Partial<{
  view: TraceViewName
  spanId: string | null
  show: string | null
  find: string
  on: ReadonlySet<string>
  folds: ReadonlySet<string>
  focus: string | null
  zoom: TimeWindow | null
}>

function change(changes: Changes): void {
  const { view, spanId, show, find, on, folds, focus, zoom } = changes
  changeSearch(
    {
      ...(view !== undefined && { view: view === 'waterfall' ? null : view }),
      ...(spanId !== undefined && { [SPAN_PARAM]: spanId }),
      ...(show !== undefined && { show }),
      ...(find !== undefined && { find }),
      ...(on !== undefined && { with: [...on].join(' ') }),
      ...(folds !== undefined && { fold: [...folds].slice(0, MOST_FOLDS).join(' ') }),
      ...(focus !== undefined && { focus }),
      ...(zoom !== undefined && { zoom: zoom && `${Math.round(zoom.startUs)}-${Math.round(zoom.endUs)}` }),
    },
    view === undefined ? 'soon' : 'step',
  )
}

/** Removes all choices from the address: a span, zoom or view of one trace means nothing in another. */
export function forgetChoices(): void {
  const names = ['view', SPAN_PARAM, 'show', 'find', 'with', 'fold', 'focus', 'zoom', OTHER_PARAM]
  changeSearch(Object.fromEntries(names.map((name) => [name, null])), 'soon')
}

/** The window that the address names, in times of the trace. */
export function windowOf(zoom: TimeWindow | null, first: TimeWindow, full: TimeWindow, originUs: number): TimeWindow {
  if (zoom === null) return first
  return within({ startUs: originUs + zoom.startUs, endUs: originUs + zoom.endUs }, full)
}

/** The zoom of a window for the address. */
export const zoomOf = (window: TimeWindow, first: TimeWindow, originUs: number): TimeWindow | null =>
  sameWindow(window, first) ? null : { startUs: window.startUs - originUs, endUs: window.endUs - originUs }

const PANEL_PARTS = ['span', 'errors', 'breadcrumbs', 'signals', 'delivery'] as const
export type PanelPart = (typeof PANEL_PARTS)[number]

/** The value of `?show=` after the panel that opens by itself was closed. */
export const CLOSED = 'none'

/** The open part of the panel: the one in the address, the selected span, or initially the errors. */
export function panelOf(show: string | null, spanId: string | null, errorsFirst: boolean): PanelPart | null {
  const named = PANEL_PARTS.find((part) => part === show)
  if (named === 'span') return spanId === null ? null : 'span'
  if (named !== undefined) return named
  if (spanId !== null) return 'span'
  return errorsFirst && show !== CLOSED ? 'errors' : null
}

/** Whether a row is open. @param folds see `TraceChoices` */
export const isOpen = (folds: ReadonlySet<string>, id: string): boolean =>
  id.startsWith('group:') || folds.has(ALL_FOLDED) ? folds.has(id) : !folds.has(id)

/** The folds after a row was opened or closed. */
export function withFold(folds: ReadonlySet<string>, id: string, open: boolean): ReadonlySet<string> {
  const next = new Set(folds)
  if (isOpen(folds, id) === open) return next
  if (!next.delete(id)) next.add(id)
  return next
}
