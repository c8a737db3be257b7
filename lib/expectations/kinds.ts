import type {
  Evidence,
  SeenBreadcrumb,
  SeenEvent,
  SeenItem,
  SeenSegment,
  SeenSignal,
  SeenSpan,
} from '../evidence/evidence'

/** What can be waited for and looked for, by the words of the kit. */
export interface Kinds {
  /** A static transaction, or a segment of streamed spans. @example { op: 'pageload', name: '/checkout' } */
  readonly transaction: SeenSegment
  /** @example { op: 'http.client', name: 'GET /api/cart' } */
  readonly span: SeenSpan
  /** An error event. @example { title: /card was declined/ } */
  readonly error: SeenEvent
  /** @example { level: 'warn', name: 'the cart is empty' } */
  readonly log: SeenSignal
  /** One of an error that came. @example { category: 'ui.click' } */
  readonly breadcrumb: SeenBreadcrumb
  /** An update of one: release health. @example { level: 'crashed' } */
  readonly session: SeenSignal
  /** One line of a client report: what the SDK discarded itself, and why. @example (line) => line.fields.reason === 'sample_rate' */
  readonly clientReport: SeenSignal
  /** An item of any type, as it was framed. @example { type: 'attachment' } */
  readonly item: SeenItem
}
export type Kind = keyof Kinds

const LISTS: { readonly [Name in Kind]: (evidence: Evidence) => readonly Kinds[Name][] } = {
  transaction: ({ segments }) => segments,
  span: ({ spans }) => spans,
  error: ({ events }) => events,
  log: ({ signals }) => signals.filter(({ kind }) => kind === 'log'),
  breadcrumb: ({ breadcrumbs }) => breadcrumbs,
  session: ({ signals }) => signals.filter(({ kind }) => kind === 'session'),
  clientReport: ({ signals }) => signals.filter(({ kind }) => kind === 'client_report'),
  item: ({ items }) => items,
}

export const KINDS = Object.keys(LISTS) as readonly Kind[]

/** All of a kind, in the order in which they came. */
export const ofKind = <Name extends Kind>(evidence: Evidence, kind: Name): readonly Kinds[Name][] =>
  LISTS[kind](evidence)
