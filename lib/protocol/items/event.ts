import * as z from 'zod'
import { hex16, hex32 } from '../ids'
import { replaceDeepValues } from '../json-scanner'
import { isObject, type JsonObject, listOf, number, text } from '../json-value'
import { levelOf } from '../level'
import { parseExactObject } from '../parse-json'
import { fail, type Result, succeed } from '../result'
import { SIZE_LIMITS } from '../size-limits'
import { type EpochUs, usFromTimestamp } from '../timestamp'
import type { ReadLimits } from './signal'

export interface EventItem {
  readonly eventId: string
  readonly timestampUs: EpochUs | null
  readonly level: string
  readonly platform: string | null
  readonly sdk: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly transaction: string | null
  readonly traceId: string | null
  readonly spanId: string | null
  readonly message: string | null
  /** Outermost first. */
  readonly exceptions: readonly EventException[]
  readonly handled: boolean | null
  readonly mechanism: string | null
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly tags: Readonly<Record<string, string>>
  readonly contexts: JsonObject
  readonly request: JsonObject | null
  readonly payload: JsonObject
}

interface EventException {
  readonly type: string | null
  readonly value: string | null
  /** Newest call first; the wire has the oldest first. */
  readonly frames: readonly StackFrame[]
}

interface StackFrame {
  readonly filename: string | null
  readonly function: string | null
  readonly line: number | null
  readonly column: number | null
  readonly inApp: boolean
  /** The executed line and those around it, in order; empty when the SDK sends no source. */
  readonly source: readonly SourceLine[]
  /** Local variables by name, as the SDK sent them. */
  readonly vars: JsonObject | null
}

interface SourceLine {
  readonly line: number | null
  readonly text: string
  readonly ran: boolean
}

/** Source lines on each side of the executed one; SDKs send five or seven. */
const MOST_LINES = 10
/** Characters of a source line: bundled code may be a single line. */
const MOST_OF_LINE = 500

const identity = z.looseObject({ event_id: z.string() })

/**
 * Parses an error event of any SDK version. Values that are nested too deep are replaced by a text.
 * @param fallbackId the envelope's event id, for SDKs that omit it in the payload.
 */
export function parseEvent(
  payload: Uint8Array,
  fallbackId: string | null,
  sizeLimits: ReadLimits = SIZE_LIMITS,
): Result<EventItem, string> {
  const json = parseExactObject(replaceDeepValues(payload, sizeLimits.depth), sizeLimits.depth)
  return json.ok ? readEvent(json.value, fallbackId, sizeLimits) : json
}

/** Reads the payload of an error event that is parsed already. */
export function readEvent(
  event: JsonObject,
  fallbackId: string | null,
  sizeLimits: ReadLimits,
): Result<EventItem, string> {
  const given = identity.safeParse(event)
  const eventId = hex32(given.success ? given.data.event_id : null) ?? fallbackId
  if (eventId === null) return fail('the event has no event_id of 32 hex digits, and its envelope has none')

  const contexts = isObject(event.contexts) ? event.contexts : {}
  const trace = isObject(contexts.trace) ? contexts.trace : {}
  const exception = event.exception ?? event[RAVEN.exception]
  const values = listOf(exception)
  // The last entry was thrown last, and is shown first (Sentry event payload, "Exception").
  const ofValues = values.map((value) => value.mechanism).findLast(isObject)
  // Raven for JavaScript has one mechanism beside its values.
  const mechanism = ofValues ?? (isObject(exception) && isObject(exception.mechanism) ? exception.mechanism : undefined)
  const request = event.request ?? event[RAVEN.request]
  return succeed({
    eventId,
    timestampUs: usFromTimestamp(event.timestamp),
    level: levelOf(text(event.level) ?? 'error'),
    platform: text(event.platform),
    sdk: sdkName(event.sdk),
    environment: text(event.environment),
    release: text(event.release),
    transaction: text(event.transaction) ?? text(event.culprit),
    traceId: hex32(trace.trace_id),
    spanId: hex16(trace.span_id),
    message: messageOf(event),
    exceptions: values.map(exceptionOf).reverse(),
    handled: typeof mechanism?.handled === 'boolean' ? mechanism.handled : null,
    mechanism: text(mechanism?.type),
    breadcrumbs: parseBreadcrumbs(event.breadcrumbs ?? event[RAVEN.breadcrumbs]),
    tags: tagsOf(event.tags, sizeLimits.tags),
    contexts,
    request: isObject(request) ? request : null,
    payload: event,
  })
}

/** Returns the title of an event: its outermost exception, else its message. */
export function titleOf(event: Pick<EventItem, 'exceptions' | 'message'>): string {
  const first = event.exceptions[0]
  if (first === undefined) return event.message ?? '(no message)'
  if (first.type === null) return first.value ?? event.message ?? '(no message)'
  return first.value === null ? first.type : `${first.type}: ${first.value}`
}

export const sdkName = (sdk: unknown): string | null => (isObject(sdk) ? text(sdk.name) : null)

function messageOf(event: JsonObject): string | null {
  for (const source of [event.logentry, event[RAVEN.message], event.message]) {
    const found = isObject(source) ? (text(source.formatted) ?? filledIn(source)) : text(source)
    if (found !== null) return found
  }
  return null
}

/** Names of these fields in Raven clients up to protocol version 6. */
const RAVEN = {
  message: 'sentry.interfaces.Message',
  exception: 'sentry.interfaces.Exception',
  breadcrumbs: 'sentry.interfaces.Breadcrumbs',
  request: 'sentry.interfaces.Http',
} as const

/** Fills a message template: Python's logging sends `logged %s` and its params separately. */
function filledIn({ message, params }: JsonObject): string | null {
  const template = text(message)
  if (template === null || params === undefined) return template
  const list = Array.isArray(params) ? params : []
  const named = isObject(params) ? params : {}
  let next = 0
  return template.replace(/%(?:\((\w{1,64})\))?([sdifr%])/g, (placeholder, name: string | undefined, kind: string) => {
    if (kind === '%') return '%'
    const value = name === undefined ? list[next++] : Object.hasOwn(named, name) ? named[name] : undefined
    return text(value) ?? placeholder
  })
}

function exceptionOf(value: JsonObject): EventException {
  const stack = isObject(value.stacktrace) ? value.stacktrace : {}
  const frames = Array.isArray(stack.frames) ? stack.frames.filter(isObject) : []
  return {
    type: text(value.type),
    // Some SDKs send the thrown value itself.
    value: text(value.value) ?? (isObject(value.value) ? JSON.stringify(value.value) : null),
    frames: frames
      .map((frame) => ({
        filename: text(frame.filename) ?? text(frame.abs_path),
        function: text(frame.function),
        line: number(frame.lineno),
        column: number(frame.colno),
        inApp: frame.in_app === true,
        source: sourceOf(frame),
        vars: isObject(frame.vars) ? frame.vars : null,
      }))
      .reverse(),
  }
}

function sourceOf({ lineno, pre_context, context_line, post_context }: JsonObject): readonly SourceLine[] {
  if (typeof context_line !== 'string') return []
  const before = linesOf(pre_context).slice(-MOST_LINES)
  const after = linesOf(post_context).slice(0, MOST_LINES)
  const at = number(lineno)
  return [...before, context_line, ...after].map((line, index) => ({
    line: at === null ? null : at - before.length + index,
    text: line.slice(0, MOST_OF_LINE),
    ran: index === before.length,
  }))
}

const linesOf = (lines: unknown): readonly string[] =>
  Array.isArray(lines) ? lines.map((line) => (typeof line === 'string' ? line : '')) : []

/** Reads tags: an object, or a list of pairs in old SDKs. */
function tagsOf(tags: unknown, most: number): Record<string, string> {
  const pairs: readonly unknown[] = Array.isArray(tags) ? tags : isObject(tags) ? Object.entries(tags) : []
  const found: [string, string][] = []
  for (const pair of pairs) {
    if (found.length >= most) break
    if (!Array.isArray(pair)) continue
    const value = text(pair[1])
    if (typeof pair[0] === 'string' && value !== null) found.push([pair[0], value])
  }
  return Object.fromEntries(found)
}

export interface Breadcrumb {
  readonly timestampUs: EpochUs | null
  readonly category: string | null
  readonly type: string | null
  readonly level: string | null
  readonly message: string | null
  readonly data: JsonObject | null
}

function levelOrNull(value: unknown): string | null {
  const level = text(value)
  return level === null ? null : levelOf(level)
}

/** SDKs keep at most a hundred; more are cut here. */
export const MOST_BREADCRUMBS = 1000

/** Parses breadcrumbs, oldest first; of a longer list only the last ones. */
function parseBreadcrumbs(value: unknown): readonly Breadcrumb[] {
  return listOf(value)
    .slice(-MOST_BREADCRUMBS)
    .map((crumb) => ({
      timestampUs: usFromTimestamp(crumb.timestamp),
      category: text(crumb.category),
      type: text(crumb.type),
      level: levelOrNull(crumb.level),
      message: text(crumb.message),
      data: isObject(crumb.data) ? crumb.data : null,
    }))
}
