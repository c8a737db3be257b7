import { plainText } from '../../format'
import { hex16, isObject, parseJsonObject } from '../../protocol/json'
import { isItemHeaderLeft, scrubEnvelopeHeader, scrubItemHeader } from '../../scrub/header-line'
import { scrubPayload } from '../../scrub/payload'
import { removedPath } from '../../scrub/removed-path'
import { type RuleName, RULES as SECRETS } from '../../scrub/rule'
import { hasWords } from '../../scrub/scrub-record'
import { scrubText } from '../../scrub/scrub-text'
import type { Evidence, SeenItem, SeenSpan } from '../evidence/evidence'
import { type Finding, KEPT_FINDINGS, type Verdict } from '../verdict'
import { atItem, atSpan, spanWords } from './describe'
import type { Case, Rule } from './rule'

/** On a developer's own machine each stack trace names whose it is; nobody else learns it from there. */
const NOT_JUDGED: ReadonlySet<RuleName> = new Set(['user_path'])

/** In this order they are told: what opens a purse or a endpoint first. */
const GRAVITY: Readonly<Record<RuleName, number>> = {
  card: 0,
  iban: 1,
  ssn: 2,
  vendor_key: 3,
  pem: 4,
  url_auth: 5,
  bearer: 6,
  jwt: 7,
  key: 8,
  cookie: 9,
  parameter: 10,
  email: 11,
  ip: 12,
  user_path: 13,
}

/** So much of a path tells whether two are alike: no more of one is told, either. */
const LONGEST_PATH = 200

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Judged from every text of header lines and of items that hold somebody's words, by the rules of scrubbing and the same
 * walk: what `WAYSTATION_SCRUB` would take out is what is found here. A finding says rule, path and span, and never the value;
 * one rule at one path is one finding, wherever it is met again.
 * Copies are judged with the rest, for a copy is what the SDK sends to its own DSN. Attachments and recordings of replays
 * are not looked into. Where only they were recorded, nothing could be judged. A payload that should be JSON and is not is
 * looked at as one text: what is found in it is told, and where nothing is, nobody knows, for it has no names to go by.
 */
export const privacyRule: Rule = {
  id: 'privacy',
  title: 'Nothing secret is sent',
  why: 'What was sent is in the hands of whoever may open the project, for as long as it is kept.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Take it out in beforeSend or where it is set, sendDefaultPii off; WAYSTATION_SCRUB takes it out on its way.',
  judge: (given) => judgeLeaks(given).verdict,
}

type PayloadPath = readonly (string | number)[]
type Where = Pick<Finding, 'about' | 'at'>

/** Findings of one rule at one path, whatever envelope and element of an array they are in. */
interface Alike {
  readonly rule: RuleName
  /** The first of them. */
  readonly finding: Finding
  times: number
}

/** The verdict, whose findings are the first of what is alike, the gravest before; and how many secrets there are in `all`. */
export function judgeLeaks({ evidence }: Case): { readonly verdict: Verdict; readonly all: number } {
  const alike = new Map<string, Alike>()
  let all = 0
  let beyond = 0
  let judged = 0
  let unread: SeenItem | null = null
  const spanAround = spansAround(evidence)
  const tellOf =
    (whereOf: (way: PayloadPath) => Where, prefix: readonly string[]) =>
    (rule: RuleName, wayTo: () => PayloadPath): void => {
      if (NOT_JUDGED.has(rule)) return
      all += 1
      const way = wayTo()
      const path = [...prefix, ...way]
      const key = `${rule} ${placeOf(path)}`
      const known = alike.get(key)
      if (known !== undefined) known.times += 1
      else if (alike.size >= KEPT_FINDINGS) beyond += 1
      else {
        const finding = { ...whereOf(way), path: removedPath(path), ...wordsOf(rule) }
        alike.set(key, { rule, finding, times: 1 })
      }
    }
  for (const { seq, header } of evidence.envelopes) {
    const tell = tellOf(() => ({ about: `the header of envelope ${seq}`, at: { seq, item: -1 } }), ['header'])
    scrubEnvelopeHeader(encoder.encode(JSON.stringify(header)), tell)
  }
  for (const item of evidence.items) {
    const whole: Where = { about: `${item.type} item of envelope ${item.seq}`, at: atItem(item) }
    if (!isItemHeaderLeft(item.header))
      scrubItemHeader(
        encoder.encode(JSON.stringify(item.header)),
        tellOf(() => whole, ['header']),
      )
    if (!hasWords(item.type, item.header.meta_length)) continue
    const tell = tellOf((way) => {
      const span = spanAround(item, way)
      return span === null ? whole : { about: `${whole.about}, ${harmlessSpanWords(span)}`, at: atSpan(span) }
    }, [])
    if (isJson(item)) {
      judged += 1
      scrubPayload(item.payload, tell)
    } else {
      unread ??= item
      scrubText(decoder.decode(item.payload), 'plain', (rule) => tell(rule, () => []))
    }
  }
  if (all > 0) {
    const findings = [...alike.values()].sort((one, other) => GRAVITY[one.rule] - GRAVITY[other.rule]).map(toldOnce)
    return { verdict: { verdict: 'fail', judged: Math.max(1, judged), found: findings.length + beyond, findings }, all }
  }
  return { verdict: unread === null ? cleanOf(judged) : unreadOf(unread), all }
}

const toldOnce = ({ finding, times }: Alike): Finding =>
  times === 1 ? finding : { ...finding, about: `${finding.about}, the first of ${times}` }

const cleanOf = (judged: number): Verdict =>
  judged > 0
    ? { verdict: 'pass', judged }
    : { verdict: 'incomplete', why: 'No item was recorded whose words could be read.' }

const unreadOf = ({ type, seq }: SeenItem): Verdict => ({
  verdict: 'incomplete',
  why: `The ${type} item of envelope ${seq} is no JSON, so nobody can tell what each text in it is.`,
})

/** A path without the numbers of elements. A name may be as long as an item, and a million texts be under it. */
function placeOf(way: readonly (string | number)[]): string {
  let place = ''
  for (const part of way) {
    place += typeof part === 'number' ? '.*' : `.${part.slice(0, LONGEST_PATH)}`
    if (place.length >= LONGEST_PATH) break
  }
  return place
}

/** Where the walk could read it, its first byte tells what it is: most payloads are not parsed again. */
function isJson({ payload, problem }: SeenItem): boolean {
  if (problem === null) return /^\ufeff?\s*[[{"]/.test(decoder.decode(payload.subarray(0, 64)))
  try {
    JSON.parse(decoder.decode(payload))
    return true
  } catch {
    return false
  }
}

const wordsOf = (rule: RuleName): Pick<Finding, 'actual' | 'expected'> => ({
  actual: `${rule}: ${SECRETS[rule]}`,
  expected: 'nothing of the kind',
})

/**
 * Finds the span that a way through an item's payload leads into: one of a container, one of a transaction, or the
 * transaction's own. `null` in any other item, and where what is there could not be read as a span.
 */
function spansAround({ spans }: Pick<Evidence, 'spans'>): (item: SeenItem, path: PayloadPath) => SeenSpan | null {
  let byPlace: ReadonlyMap<string, SeenSpan> | null = null
  /** Of the item that was asked about last: its findings come together. */
  let last: { readonly item: SeenItem; readonly json: unknown } | null = null
  return (item, path) => {
    if (item.type !== 'span' && item.type !== 'transaction') return null
    if (last?.item !== item) {
      const json = parseJsonObject(item.payload)
      last = { item, json: json.ok ? json.value : null }
    }
    const spanId = spanIdAround(last.json, path)
    if (spanId === null) return null
    byPlace ??= new Map(spans.map((span) => [spanKey(span, span.spanId), span]))
    return byPlace.get(spanKey(item, spanId)) ?? null
  }
}

const spanKey = ({ seq, item }: { readonly seq: number; readonly item: number }, spanId: string): string =>
  `${seq} ${item} ${spanId}`

function spanIdAround(json: unknown, [list, index]: PayloadPath): string | null {
  if (!isObject(json)) return null
  const listed = list === 'items' || list === 'spans' ? json[list] : undefined
  if (Array.isArray(listed) && typeof index === 'number') return idOf(listed[index])
  return idOf(json) ?? (isObject(json.contexts) ? idOf(json.contexts.trace) : null)
}

const idOf = (span: unknown): string | null => (isObject(span) ? hex16(span.span_id) : null)

/** Signs of op and name that are told: enough to find it among fifty. */
const MOST_SIGNS = 60
/** What is looked at of a name that may be as long as an item. */
const MOST_READ = 10 * MOST_SIGNS

/** Op and name of a span, shortened and without what is secret in them: `http.client GET /users/[Filtered]`. */
function harmlessSpanWords(span: SeenSpan): string {
  const words = plainText(spanWords(span).slice(0, MOST_READ))
  let isSecret = false
  // Whose folder it is is none, and `/home/garden` may be a page.
  const scrubbed = scrubText(words, 'plain', (rule) => {
    isSecret ||= rule !== 'user_path'
  })
  const told = isSecret ? scrubbed : words
  return told.length > MOST_SIGNS ? `${told.slice(0, MOST_SIGNS - 1)}…` : told
}
