import type { SignalKind } from '../../lib/protocol/signal-kind'
import type { FilterOf } from '../../lib/wire/filter'

/** What the address of `/signals` says: `?kind=` which of them, `?open=` the row that shows all its fields, and a filter. */
export const KIND_PARAM = 'kind'
export const OPEN_PARAM = 'open'
export const OWN_PARAMS: readonly string[] = [KIND_PARAM, OPEN_PARAM]

/** The list of one kind, as narrow as told. */
export function signalsHref(kind: SignalKind, more: FilterOf<'signals'> & { readonly open?: string } = {}): string {
  return `/signals?${new URLSearchParams({ [KIND_PARAM]: kind, ...more })}`
}
