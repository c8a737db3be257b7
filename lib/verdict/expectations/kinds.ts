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
  /** A static transaction, or a segment of streamed spans. */
  readonly transaction: SeenSegment
  readonly span: SeenSpan
  readonly error: SeenEvent
  readonly log: SeenSignal
  /** One of an error that came. */
  readonly breadcrumb: SeenBreadcrumb
  /** An update of one: release health. */
  readonly session: SeenSignal
  /** One line of a client report: what the SDK discarded itself, and why. */
  readonly clientReport: SeenSignal
  /** An item of any type, as it was framed. */
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
