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
  readonly breadcrumb: SeenBreadcrumb
  readonly session: SeenSignal
  /** One line of a client report. */
  readonly clientReport: SeenSignal
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
