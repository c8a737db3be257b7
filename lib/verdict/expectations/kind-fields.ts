import { hintAt } from '../../config/nearest'
import { checkCriteria } from './criteria'
import { nounOf } from './item-words'
import type { Kind, Kinds } from './kinds'
import { cut } from './shown'

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

/** Every name that an item of a kind has, its own first: what is none of them is mistyped, and would be found nowhere. */
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
    attributes: true,
    links: true,
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

/** The names at the top of an item of a kind. */
export const fieldsOf = (kind: Kind): readonly string[] => Object.keys(FIELDS[kind])

/**
 * Says what is wrong with criteria for items of a kind, before anything is compared.
 * @throws TypeError with the fix in the sentence.
 */
export function checkCriteriaOf(kind: Kind, criteria: unknown): void {
  checkCriteria(criteria)
  if (typeof criteria !== 'object' || criteria === null) return
  const names = fieldsOf(kind)
  const stranger = Object.keys(criteria).find((name) => !names.includes(name))
  if (stranger === undefined) return
  throw new TypeError(`criteria name ${cut(stranger, 40)}, which no ${nounOf(kind)} has: ${hintAt(stranger, names)}`)
}
