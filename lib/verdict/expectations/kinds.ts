import { nameHint } from '../../config/nearest'
import type {
  Evidence,
  SeenBreadcrumb,
  SeenEvent,
  SeenItem,
  SeenSegment,
  SeenSignal,
  SeenSpan,
} from '../evidence/evidence'
import { spanDuration, spanLabel } from '../rules/describe'
import { truncate } from '../text'
import { checkCriteria } from './criteria'

export interface Kinds {
  /** A static transaction, or a segment of streamed spans. */
  readonly transaction: SeenSegment
  readonly span: SeenSpan
  readonly error: SeenEvent
  readonly log: SeenSignal
  /** A breadcrumb of an error that arrived. */
  readonly breadcrumb: SeenBreadcrumb
  /** An update of a session (release health). */
  readonly session: SeenSignal
  /** One entry of a client report: items that the SDK discarded, with the reason. */
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

export const itemsOfKind = <Name extends Kind>(evidence: Evidence, kind: Name): readonly Kinds[Name][] =>
  LISTS[kind](evidence)

const MOST_SIGNS = 80

const signalWords = ({ level, name }: SeenSignal): string => (level === null ? name : `${level} ${name}`)

const WORDS: { readonly [Name in Kind]: (item: Kinds[Name]) => string } = {
  transaction: spanLabel,
  span: spanLabel,
  error: ({ title }: SeenEvent) => title,
  log: signalWords,
  breadcrumb: ({ category, message, type }: SeenBreadcrumb) =>
    [category ?? type, message].filter((word) => word !== null).join(' ') || '(empty)',
  session: signalWords,
  clientReport: ({ fields, name }: SeenSignal) =>
    typeof fields.quantity === 'number' ? `${fields.quantity} ${name}` : name,
  item: ({ type }: SeenItem) => type,
}

/** A short label that is safe to print: `http.client GET /api/cart`, `TypeError: x is not a function`. */
export const itemLabel = <Name extends Kind>(kind: Name, item: Kinds[Name]): string =>
  truncate(WORDS[kind](item), MOST_SIGNS)

export const kindNoun = (kind: Kind): string => (kind === 'clientReport' ? 'client report' : kind)

export const labelWithDuration = (span: SeenSpan | SeenSegment): string =>
  `${truncate(spanLabel(span), MOST_SIGNS)}, ${spanDuration(span)}`

const SEEN = { seq: true, item: true, journal: true, receivedAt: true, stamp: true, page: true, copy: true } as const
const SIGNAL = {
  kind: true,
  key: true,
  rank: true,
  timestampUs: true,
  traceId: true,
  spanId: true,
  eventId: true,
  name: true,
  level: true,
  environment: true,
  release: true,
  fields: true,
  service: true,
  ...SEEN,
} as const

/** All field names by kind, to reject mistyped names in criteria. */
const FIELDS = {
  transaction: {
    traceId: true,
    segmentId: true,
    parentSpanId: true,
    name: true,
    op: true,
    status: true,
    startUs: true,
    endUs: true,
    lifecycle: true,
    service: true,
    environment: true,
    release: true,
    sdk: true,
    previousTrace: true,
    attributes: true,
    ...SEEN,
  },
  span: {
    traceId: true,
    spanId: true,
    parentSpanId: true,
    segmentId: true,
    isSegment: true,
    name: true,
    op: true,
    status: true,
    origin: true,
    service: true,
    startUs: true,
    endUs: true,
    isOpen: true,
    attributes: true,
    links: true,
    otel: true,
    ...SEEN,
  },
  error: {
    eventId: true,
    timestampUs: true,
    level: true,
    platform: true,
    sdk: true,
    environment: true,
    release: true,
    transaction: true,
    traceId: true,
    spanId: true,
    message: true,
    exceptions: true,
    handled: true,
    mechanism: true,
    breadcrumbs: true,
    tags: true,
    contexts: true,
    request: true,
    payload: true,
    service: true,
    title: true,
    digest: true,
    ...SEEN,
  },
  log: SIGNAL,
  breadcrumb: {
    timestampUs: true,
    category: true,
    type: true,
    level: true,
    message: true,
    data: true,
    eventId: true,
    index: true,
    ...SEEN,
  },
  session: SIGNAL,
  clientReport: SIGNAL,
  item: {
    type: true,
    category: true,
    quantity: true,
    header: true,
    payload: true,
    traceId: true,
    eventId: true,
    problem: true,
    ...SEEN,
  },
} as const satisfies { readonly [Name in Kind]: { readonly [Field in keyof Kinds[Name]]-?: true } }

export const fieldsOf = (kind: Kind): readonly string[] => Object.keys(FIELDS[kind])

/** @throws TypeError that names the fix. */
export function checkCriteriaFor(kind: Kind, criteria: unknown): void {
  checkCriteria(criteria)
  if (typeof criteria !== 'object' || criteria === null) return
  const names = fieldsOf(kind)
  const stranger = Object.keys(criteria).find((name) => !names.includes(name))
  if (stranger === undefined) return
  throw new TypeError(
    `criteria: unknown field ${truncate(stranger, 40)} of ${kindNoun(kind)}; ${nameHint(stranger, names)}`,
  )
}
