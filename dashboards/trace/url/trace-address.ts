/** What the address of `/traces/{id}` says: `?span=` the selected span, `?show=` the part of the panel. */
export const SPAN_PARAM = 'span'
export const SHOW_PARAM = 'show'

export const PANEL_PARTS = ['span', 'errors', 'breadcrumbs', 'delivery'] as const
export type PanelPart = (typeof PANEL_PARTS)[number]

/** The part of the panel the address names; `null` for one there is not. */
export function panelPart(value: string | null): PanelPart | null {
  return PANEL_PARTS.find((part) => part === value) ?? null
}
