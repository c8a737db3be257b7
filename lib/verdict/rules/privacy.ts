import { plainText } from '../../format'
import { decodeRequest } from '../../otlp/decode'
import { scrubRequest } from '../../otlp/scrub-request'
import { encodingOf, type OtlpEncoding, type OtlpSignal, signalOf } from '../../otlp/signals'
import { objectsOf, spanIdOf } from '../../otlp/values'
import { hex16 } from '../../protocol/ids'
import { isObject } from '../../protocol/json-value'
import { parseJsonObject } from '../../protocol/parse-json'
import { isItemHeaderLeft, isScrubbedType, scrubEnvelopeHeader, scrubItemHeader } from '../../scrub/envelope-parts'
import { looksSecret } from '../../scrub/looks-secret'
import { scrubPayload } from '../../scrub/payload'
import { type Candidate, type Removes, type RuleName, RULES as SECRETS } from '../../scrub/rules'
import { removedPath } from '../../scrub/scrub-record'
import { scrubText } from '../../scrub/scrub-text'
import type { Evidence, SeenItem, SeenSpan } from '../evidence/evidence'
import { type Finding, MAX_KEPT_FINDINGS, type Verdict } from '../verdict'
import { atItem, atSpan, spanLabel } from './describe'
import { isAllowed, maskedExcerpt } from './privacy-allowlist'
import type { Case, Rule } from './rule'

/** Left out, because every stack trace of a developer's machine contains the user's folder. */
const NOT_JUDGED: ReadonlySet<RuleName> = new Set(['user_path'])

/** Order of the findings: payment data and credentials first. */
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

const LONGEST_PATH = 200

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Applies the scrubbing rules to every text in headers and items, with a higher threshold: a value must look like a secret
 * (`looksSecret`), and the allowlist must not contain it. A finding names rule, path, span and a masked excerpt, never the value.
 * Secrets with the same rule and path are one finding.
 *
 * Copies are checked too, because the SDK sends the original to its DSN. Attachments and replay recordings are not read;
 * if nothing else was recorded, the verdict is incomplete. An invalid JSON payload is searched as plain text, to which
 * rules that need field names do not apply. If nothing is found there, the verdict is incomplete.
 */
export const privacyRule: Rule = {
  id: 'privacy',
  title: 'No secrets are sent',
  why: 'Everyone with access to the project can read what was sent, as long as it is stored.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Remove it in the code that sets it or in beforeSend, and set sendDefaultPii: false. WAYSTATION_SCRUB removes it before relaying. Is it no secret? Add its path or a pattern to privacy: { allow: [{ path, pattern }] }.',
  judge: (given) => judgeLeaks(given).verdict,
}

type PayloadPath = readonly (string | number)[]
type Where = Pick<Finding, 'about' | 'at'>

/** Secrets with one rule at one path, in any envelope and array element. */
interface MergedFinding {
  readonly rule: RuleName
  readonly finding: Finding
  times: number
}

/** The verdict, with one finding per rule and path, the gravest first; `all` counts every secret. */
export function judgeLeaks({ evidence, harmless = [] }: Case): { readonly verdict: Verdict; readonly all: number } {
  const merged = new Map<string, MergedFinding>()
  let all = 0
  let notKept = 0
  let judged = 0
  let unread: SeenItem | null = null
  const requests = requestsIn(evidence)
  const spanAround = spanFinder(evidence, requests)
  /** The values that the current rule removed from the current text. */
  let values: Candidate[] = []
  const removes: Removes = (candidate) => {
    const isRemoved = !NOT_JUDGED.has(candidate.rule) && looksSecret(candidate)
    if (isRemoved) values.push(candidate)
    return isRemoved
  }
  const reporter =
    (whereOf: (path: PayloadPath) => Where, prefix: readonly string[]) =>
    (rule: RuleName, pathOf: () => PayloadPath): void => {
      const removed = values
      values = []
      const pathInItem = pathOf()
      const path = [...prefix, ...pathInItem]
      const secret = harmless.length === 0 ? removed[0] : removed.find(({ value }) => !isAllowed(harmless, path, value))
      if (removed.length > 0 && secret === undefined) return
      all += 1
      const key = `${rule} ${pathKey(path)}`
      const known = merged.get(key)
      if (known !== undefined) known.times += 1
      else if (merged.size >= MAX_KEPT_FINDINGS) notKept += 1
      else {
        const finding = { ...whereOf(pathInItem), path: removedPath(path), ...findingTexts(rule, secret) }
        merged.set(key, { rule, finding, times: 1 })
      }
    }
  for (const { seq, header } of evidence.envelopes) {
    const report = reporter(() => ({ about: `header of envelope ${seq}`, at: { seq, item: -1 } }), ['header'])
    scrubEnvelopeHeader(encoder.encode(JSON.stringify(header)), report, removes)
  }
  for (const item of evidence.items) {
    const whole: Where = { about: `${item.type} item of envelope ${item.seq}`, at: atItem(item) }
    if (!isItemHeaderLeft(item.header))
      scrubItemHeader(
        encoder.encode(JSON.stringify(item.header)),
        reporter(() => whole, ['header']),
        removes,
      )
    const request = requests.get(item.seq)
    if (request === undefined && !isScrubbedType(item.type, item.header.meta_length)) continue
    const report = reporter((path) => {
      const span = spanAround(item, path)
      return span === null ? whole : { about: `${whole.about}, ${safeSpanLabel(span)}`, at: atSpan(span) }
    }, [])
    if (request !== undefined) {
      judged += 1
      scrubRequest(request.signal, request.encoding, item.payload, report, removes)
    } else if (isJson(item)) {
      judged += 1
      scrubPayload(item.payload, report, removes)
    } else {
      unread ??= item
      scrubText(decoder.decode(item.payload), 'plain', (rule) => report(rule, () => []), removes)
    }
  }
  if (all > 0) {
    const findings = [...merged.values()]
      .sort((one, other) => GRAVITY[one.rule] - GRAVITY[other.rule])
      .map(mergedFinding)
    return {
      verdict: { verdict: 'fail', judged: Math.max(1, judged), found: findings.length + notKept, findings },
      all,
    }
  }
  return { verdict: unread === null ? passOrIncomplete(judged) : invalidJson(unread), all }
}

interface RequestFormat {
  readonly signal: OtlpSignal
  readonly encoding: OtlpEncoding
}

/** The requests of OpenTelemetry, by number. An item of an envelope may have any type, so its type does not count. */
const requestsIn = ({ envelopes }: Pick<Evidence, 'envelopes'>): ReadonlyMap<number, RequestFormat> =>
  new Map(
    envelopes.flatMap(({ seq, endpoint, contentType }) => {
      const signal = signalOf(endpoint)
      return signal === null ? [] : [[seq, { signal, encoding: encodingOf(contentType ?? null) ?? 'json' }]]
    }),
  )

const mergedFinding = ({ finding, times }: MergedFinding): Finding =>
  times === 1 ? finding : { ...finding, about: `${finding.about}, the first of ${times}` }

const passOrIncomplete = (judged: number): Verdict =>
  judged > 0 ? { verdict: 'pass', judged } : { verdict: 'incomplete', why: 'No item with readable text was recorded.' }

const invalidJson = ({ type, seq }: SeenItem): Verdict => ({
  verdict: 'incomplete',
  why: `The ${type} item in envelope ${seq} is not valid JSON, so its fields cannot be checked.`,
})

/** A path without array indexes, truncated because a name may be as long as its item. */
function pathKey(path: readonly (string | number)[]): string {
  let place = ''
  for (const part of path) {
    place += typeof part === 'number' ? '.*' : `.${part.slice(0, LONGEST_PATH)}`
    if (place.length >= LONGEST_PATH) break
  }
  return place
}

/** If the traversal parsed it, its first byte decides: most payloads are not parsed twice. */
function isJson({ payload, problem }: SeenItem): boolean {
  if (problem === null) return /^\ufeff?\s*[[{"]/.test(decoder.decode(payload.subarray(0, 64)))
  try {
    JSON.parse(decoder.decode(payload))
    return true
  } catch {
    return false
  }
}

const findingTexts = (rule: RuleName, secret: Candidate | undefined): Pick<Finding, 'actual' | 'expected'> => ({
  actual: `${rule}: ${SECRETS[rule]}${secret === undefined ? '' : ` (${maskedExcerpt(secret)})`}`,
  expected: 'no secrets',
})

/**
 * Finds the span that contains a payload path: a span of a container or of a request, a child span of a transaction, or the transaction
 * itself. `null` for other items and for spans that could not be parsed.
 */
function spanFinder(
  { spans }: Pick<Evidence, 'spans'>,
  requests: ReadonlyMap<number, RequestFormat>,
): (item: SeenItem, path: PayloadPath) => SeenSpan | null {
  let byPlace: ReadonlyMap<string, SeenSpan> | null = null
  /** The previous item, because findings of one item come together. */
  let last: { readonly item: SeenItem; readonly json: unknown } | null = null
  return (item, path) => {
    const request = requests.get(item.seq)
    if (item.type !== 'span' && item.type !== 'transaction' && request?.signal !== 'traces') return null
    if (last?.item !== item) {
      const read =
        request === undefined
          ? parseJsonObject(item.payload)
          : decodeRequest(request.signal, request.encoding, item.payload)
      last = { item, json: read.ok ? read.value : null }
    }
    const spanId = request === undefined ? spanIdAround(last.json, path) : requestSpanId(last.json, path)
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

/** The path of a span: `resourceSpans.0.scopeSpans.0.spans.0`. */
function requestSpanId(request: unknown, [, resource, , scope, list, index]: PayloadPath): string | null {
  if (list !== 'spans' || !isObject(request)) return null
  const ofResource = objectsOf(request.resourceSpans)[Number(resource)]
  const ofScope = objectsOf(ofResource?.scopeSpans)[Number(scope)]
  return spanIdOf(objectsOf(ofScope?.spans)[Number(index)]?.spanId)
}

const idOf = (span: unknown): string | null => (isObject(span) ? hex16(span.span_id) : null)

const MAX_LABEL_CHARACTERS = 60
/** A name may be as long as its item; only this part is scrubbed. */
const MAX_SCRUBBED_CHARACTERS = 10 * MAX_LABEL_CHARACTERS

/** Op and name of a span, truncated and scrubbed: `http.client GET /users/[Filtered]`. */
function safeSpanLabel(span: SeenSpan): string {
  const words = plainText(spanLabel(span).slice(0, MAX_SCRUBBED_CHARACTERS))
  let isSecret = false
  // `user_path` does not count: `/home/garden` may be a page.
  const scrubbed = scrubText(words, 'plain', (rule) => {
    isSecret ||= rule !== 'user_path'
  })
  const text = isSecret ? scrubbed : words
  return text.length > MAX_LABEL_CHARACTERS ? `${text.slice(0, MAX_LABEL_CHARACTERS - 1)}…` : text
}
