import { groupBy } from '../../group-by'
import { isObject } from '../../protocol/json-value'
import { STAMP_COOKIE } from '../../protocol/request'
import type { Evidence, SeenEvent, SeenSegment } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import { withoutSecrets } from '../text'
import { ALL, type Counts, keyOf, type Section } from './profile'
import { routeName, withoutIds } from './stable-names'

/** Names per section of a service; the others are counted together, because a sender chooses names. */
const MOST_NAMES = 500
const OTHER_NAMES = '(other names)'
export const MISSING = '(none)'

/** Spans that depend on the speed of the machine, on its cache, or on what a browser happens to paint. */
const UNSTEADY_OPS =
  /^(?:(?:browser|resource|paint|mark|measure|element)(?:\.|$)|ui\.(?:webvital|long|interaction|element))/
/** Sent at times of the SDK's own choice, perhaps after the end of the run. */
const UNSTEADY_ITEMS: ReadonlySet<string> = new Set(['session', 'internal'])

/** Counts everything that one run recorded, without copies. Pure. */
export function countEvidence(evidence: Evidence): Counts {
  const counts = new Map<string, number>()
  const written = new Map<string, string>()
  const add = (group: string, section: Section, name: string): void => {
    const raw = keyOf({ group, section, name })
    const key = written.get(raw) ?? keyOf({ group: withoutSecrets(oneLine(group)), section, name: nameOf(name) })
    written.set(raw, key)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const events = evidence.events.filter(({ copy }) => !copy)
  const segments = evidence.segments.filter((segment) => !segment.copy && !UNSTEADY_OPS.test(segment.op ?? ''))
  const spans = evidence.spans.filter(({ copy }) => !copy)
  for (const one of [...events, ...segments]) {
    add(one.service, 'environments', one.environment ?? MISSING)
    add(one.service, 'releases', releaseShape(one))
  }
  for (const { service, op, name, attributes } of segments) {
    add(service, 'routes', `${op ?? '(no op)'} ${routeName(name)}`)
    const rate = attributes['sentry.sample_rate']
    if (typeof rate === 'number' || typeof rate === 'string') add(service, 'sampling', String(rate))
  }
  for (const { service, op } of spans) if (op !== null && !UNSTEADY_OPS.test(op)) add(service, 'operations', op)
  for (const { service, level, mechanism } of events)
    if (level === 'error' || level === 'fatal') add(service, 'errors', mechanism ?? 'captured by hand')
  const serviceOf = new Map(events.map(({ eventId, service }) => [eventId, service]))
  for (const { eventId, copy, category, type } of evidence.breadcrumbs)
    if (!copy) add(serviceOf.get(eventId) ?? ALL, 'breadcrumbs', category ?? type ?? MISSING)
  for (const { service, breadcrumbs } of events) {
    const key = keyOf({ group: withoutSecrets(oneLine(service)), section: 'longest', name: 'breadcrumbs' })
    if (breadcrumbs.length > 0) counts.set(key, Math.max(counts.get(key) ?? 0, breadcrumbs.length))
  }
  for (const { copy, category } of evidence.items)
    if (!copy && !UNSTEADY_ITEMS.has(category)) add(ALL, 'items', category)
  for (const pair of linkedServices(evidence)) add(ALL, 'propagation', pair)
  for (const signal of evidence.signals) {
    const discard = reportedDiscard(signal)
    if (discard !== null) add(ALL, 'discards', `${discard.reason} ${discard.category}`)
  }
  addEnvelopes(evidence, add)
  return limited(counts)
}

type Add = (group: string, section: Section, name: string) => void

/** Endpoints and personal data, by the service that an entry of the envelope names. */
function addEnvelopes(evidence: Evidence, add: Add): void {
  const services = new Map<number, string>()
  for (const { seq, service } of [...evidence.events, ...evidence.segments, ...evidence.spans, ...evidence.signals])
    if (service !== null) services.set(seq, service)
  for (const { seq, endpoint, copy } of evidence.envelopes) {
    const service = services.get(seq)
    if (!copy && service !== undefined) add(service, 'intake', endpoint)
  }
  const decoder = new TextDecoder()
  for (const { seq, copy, payload } of evidence.items) {
    const service = services.get(seq)
    if (copy || service === undefined) continue
    if (/"infer_ip"\s*:\s*"auto"/.test(decoder.decode(payload))) add(service, 'personalData', 'infer_ip: auto')
  }
  for (const { service, copy, payload, request } of evidence.events) {
    if (copy) continue
    for (const name of PERSONAL_USER) if (hasField(payload.user, name)) add(service, 'personalData', `user.${name}`)
    if (hasOtherCookie(request?.cookies) || hasOtherCookie(headerOf(request?.headers)))
      add(service, 'personalData', 'request cookies')
  }
  for (const { service, copy, attributes } of evidence.spans) {
    if (copy) continue
    for (const name of Object.keys(attributes)) if (PERSONAL_ATTRIBUTES.test(name)) add(service, 'personalData', name)
  }
}

const PERSONAL_USER = ['ip_address', 'email', 'username', 'id'] as const
const PERSONAL_ATTRIBUTES = /^(?:user\.(?:id|name|email|ip_address)|client\.address|http\.request\.header\.cookie)$/

/** Has it a cookie besides that of the test? `null` and an empty text have none. */
function hasOtherCookie(cookies: unknown): boolean {
  if (typeof cookies === 'string')
    return cookies.split(/;\s*/).some((one) => one !== '' && !one.startsWith(`${STAMP_COOKIE}=`))
  return isObject(cookies) && Object.keys(cookies).some((name) => name !== STAMP_COOKIE)
}

const headerOf = (headers: unknown): unknown => (isObject(headers) ? (headers.Cookie ?? headers.cookie) : undefined)

const hasField = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) && Reflect.get(value, name) !== null

/** `browser > server` for each segment whose parent is a span of another service. */
function linkedServices({ spans, segments }: Evidence): readonly string[] {
  const services = new Map(spans.map(({ traceId, spanId, service }) => [`${traceId} ${spanId}`, service]))
  return segments.flatMap(({ traceId, parentSpanId, service, copy }) => {
    const caller = services.get(`${traceId} ${parentSpanId}`)
    return copy || caller === undefined || caller === service ? [] : [`${caller} > ${service}`]
  })
}

/** `shop@1.2.3` and `shop@1.2.4` have the same shape: a release changes with each build. */
function releaseShape({ release, ...rest }: SeenEvent | SeenSegment): string {
  const named = release ?? ('attributes' in rest ? rest.attributes.release : null)
  return typeof named === 'string' ? withoutIds(named) : MISSING
}

/** Profiles are committed, so they contain no secrets. */
const nameOf = (name: string): string => withoutSecrets(oneLine(name))

const oneLine = (name: string): string => name.replace(/\s+/g, ' ').trim().slice(0, 200)

function limited(counts: Counts): Counts {
  const bySection = groupBy([...counts.keys()].sort(), (key) => key.slice(0, key.lastIndexOf('\t')))
  const kept = new Map<string, number>()
  for (const [at, keys] of bySection) {
    for (const key of keys.slice(0, MOST_NAMES)) kept.set(key, counts.get(key) ?? 0)
    const rest = keys.slice(MOST_NAMES).reduce((sum, key) => sum + (counts.get(key) ?? 0), 0)
    if (rest > 0) kept.set(`${at}\t${OTHER_NAMES}`, rest)
  }
  return kept
}
