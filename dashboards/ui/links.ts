import { hex16, hex32 } from '../../lib/protocol/ids'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { FilterOf } from '../../lib/wire/filter'

/** Parameters of `/logs` and `/vitals`: the kind, and the row whose fields are shown. */
export const KIND_PARAM = 'kind'
export const OPEN_PARAM = 'open'
export const SIGNALS_PARAMS: readonly string[] = [KIND_PARAM, OPEN_PARAM]

/** The list of one kind of signal, optionally filtered or with a row open. Metrics have a board of their own. */
export function signalsHref(kind: SignalKind, more: FilterOf<'signals'> & { readonly open?: string } = {}): string {
  const isMetric = kind === 'metric'
  const query = new URLSearchParams({ ...(!isMetric && { [KIND_PARAM]: kind }), ...more })
  return `${isMetric ? '/vitals' : '/logs'}${query.size === 0 ? '' : `?${query}`}`
}

/** The selected span of a trace. */
export const SPAN_PARAM = 'span'

/** The page of a trace with a span selected; `null` for a malformed trace id. */
export function spanHref(traceId: string, spanId: string | null): string | null {
  const [trace, span] = [hex32(traceId), hex16(spanId)]
  return trace === null ? null : `/traces/${trace}${span === null ? '' : `?${SPAN_PARAM}=${span}`}`
}

/** The parameter of a trace's comparison that names the other trace. */
export const OTHER_PARAM = 'with-trace'

/** The page of a trace that compares it with another one, which is its A. */
export const comparisonHref = (traceId: string, otherId: string): string =>
  `/traces/${traceId}?${new URLSearchParams({ view: 'compare', [OTHER_PARAM]: otherId })}`

/** The parameter of `/deliveries` that names one of its lists. */
export const SHOW_PARAM = 'show'
/** The range of a plot over time, and the start of its chosen part in ms. */
export const RANGE_PARAM = 'range'
export const PART_PARAM = 'part'
export const DELIVERIES_PARAMS: readonly string[] = [SHOW_PARAM, RANGE_PARAM, PART_PARAM]

export const LEDGERS = ['envelopes', 'attempts', 'dead-letters'] as const
export type Ledger = (typeof LEDGERS)[number]

/** The list that an address names. An unknown name shows the first list, so that old links keep working. */
export const shownLedger = (named: string | null): Ledger => LEDGERS.find((one) => one === named) ?? 'envelopes'

export const ledgerHref = (ledger: Ledger): string =>
  ledger === 'envelopes' ? '/deliveries' : `/deliveries?${new URLSearchParams({ [SHOW_PARAM]: ledger })}`
