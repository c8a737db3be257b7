/** What the address of `/traces/{id}` says: `?span=` the selected span, `?show=` the part of the panel. */
export const SPAN_PARAM = 'span'
export const SHOW_PARAM = 'show'

const PANEL_PARTS = ['span', 'errors', 'breadcrumbs', 'signals', 'delivery'] as const
export type PanelPart = (typeof PANEL_PARTS)[number]

/** `?show=` of a reader who closed a panel that opens by itself. */
export const CLOSED = 'none'

/** The part of the panel that is open: the one the address names, the selected span, or the errors there were at first. */
export function panelOf(show: string | null, spanId: string | null, errorsFirst: boolean): PanelPart | null {
  const named = PANEL_PARTS.find((part) => part === show)
  if (named === 'span') return spanId === null ? null : 'span'
  if (named !== undefined) return named
  if (spanId !== null) return 'span'
  return errorsFirst && show !== CLOSED ? 'errors' : null
}
