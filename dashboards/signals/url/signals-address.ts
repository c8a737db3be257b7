import type { SignalKind } from '../../../lib/protocol/signal-kind'

/** What the address of `/signals` says: `?kind=` which of them, `?q=` words to filter by, `?open=` the row that shows all its fields. */
export const KIND_PARAM = 'kind'
export const FILTER_PARAM = 'q'
export const OPEN_PARAM = 'open'

/** The list of one kind, as narrow as told. */
export function signalsHref(kind: SignalKind, more: { readonly q?: string; readonly open?: string } = {}): string {
  return `/signals?${new URLSearchParams({ [KIND_PARAM]: kind, ...more })}`
}
