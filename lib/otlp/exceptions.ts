import { type JsonObject, text } from '../protocol/json-value'
import type { OpenTelemetryDetails } from '../protocol/trace/segment'
import type { ReadSpan } from './spans'

/** The name of the span event that records an exception (semantic conventions, "Exceptions on spans"). */
const EXCEPTION_EVENT = 'exception'

/** Exceptions in the events of a span, each as the payload of an error event of Sentry. */
export function exceptionsOf({ span, sender }: ReadSpan): readonly JsonObject[] {
  const { otel } = span
  if (otel === undefined) return []
  return otel.events.flatMap((event, index) =>
    event.name === EXCEPTION_EVENT ? [payloadOf({ span, sender }, otel, event, index)] : [],
  )
}

type SpanEvent = OpenTelemetryDetails['events'][number]

function payloadOf(
  { span, sender }: Pick<ReadSpan, 'span' | 'sender'>,
  { resource, scope }: OpenTelemetryDetails,
  { attributes, timeNanos }: SpanEvent,
  index: number,
): JsonObject {
  const stack = text(attributes['exception.stacktrace'])
  return {
    event_id: eventIdOf(span.spanId, index),
    timestamp: Number(BigInt(timeNanos) / 1000n) / 1e6,
    level: 'error',
    platform: text(resource.attributes['telemetry.sdk.language']),
    sdk: { name: sender.sdk, version: sender.sdkVersion },
    environment: sender.environment,
    release: sender.release,
    transaction: span.name,
    exception: {
      values: [
        {
          type: text(attributes['exception.type']),
          value: text(attributes['exception.message']),
          mechanism: { type: 'otel.span_event', handled: attributes['exception.escaped'] !== true },
          ...(stack !== null && { stacktrace: { frames: framesOf(stack) } }),
        },
      ],
    },
    contexts: {
      trace: { trace_id: span.traceId, span_id: span.spanId, op: span.op },
      otel: { attributes, resource: resource.attributes, scope: scope.name },
    },
  }
}

/** The same each time the span is read: a span sent twice gives one error. */
const eventIdOf = (spanId: string, index: number): string => `${spanId}${index.toString(16).padStart(16, '0')}`

/** More frames are left out. */
const MOST_FRAMES = 100

/** The formats of V8 and Java, of Firefox, and of Python. */
const FRAMES = [
  /^\s*at (?:(?<name>[^\s(][^(]*?) ?\()?(?<file>[^()\s][^()]*?):(?<line>\d+)(?::(?<column>\d+))?\)?$/,
  /^(?<name>[^@]*)@(?<file>.+?):(?<line>\d+):(?<column>\d+)$/,
  /^\s*File "(?<file>[^"]+)", line (?<line>\d+), in (?<name>.+)$/,
] as const

/** Python lists the newest call last, as Sentry does; the other formats list it first. */
const OLDEST_FIRST = /^Traceback \(most recent call last\)/

/** Lines of a stack as frames, the oldest call first; lines of another format are left out. */
function framesOf(stack: string): readonly JsonObject[] {
  const frames = stack
    .split('\n')
    .slice(0, 10 * MOST_FRAMES)
    .flatMap(frameOf)
    .slice(0, MOST_FRAMES)
  return OLDEST_FIRST.test(stack) ? frames : frames.reverse()
}

/** A longer line is no frame, and would take the patterns too long. */
const LONGEST_LINE = 1000

function frameOf(line: string): readonly JsonObject[] {
  if (line.length > LONGEST_LINE) return []
  for (const pattern of FRAMES) {
    const { name, file, line: lineno, column } = pattern.exec(line)?.groups ?? {}
    if (file === undefined) continue
    return [
      {
        filename: file,
        ...(name !== undefined && { function: name }),
        lineno: Number(lineno),
        ...(column !== undefined && { colno: Number(column) }),
        in_app: !/node_modules|^node:|site-packages/.test(file),
      },
    ]
  }
  return []
}
