import { cutName, NO_FIELDS, type Signal } from '../protocol/items/signal'
import { type JsonObject, text } from '../protocol/json-value'
import type { OpenTelemetryResource, OpenTelemetryScope } from '../protocol/trace/segment'
import type { ExportRequest } from './decode'
import { visitEntries } from './entries'
import type { Sender } from './sender'
import { attributesOf, countOf, int32Of, nanosOf, plainValue, spanIdOf, traceIdOf, usFromNanos } from './values'

export interface ReadSignals {
  readonly signals: readonly { readonly signal: Signal; readonly sender: Sender }[]
  /** Entries that cannot be read. */
  readonly invalid: number
  /** Entries over the limit, which are not read. */
  readonly beyond: number
}

/** The level of each range of four severity numbers (OpenTelemetry log data model, "SeverityNumber"). */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Reads the log records of an export request. @param most records to read; the others only count as `beyond` */
export function readLogs(request: ExportRequest, most: number): ReadSignals {
  const signals: ReadSignals['signals'][number][] = []
  let beyond = 0
  visitEntries('logs', request, (record, { resource, scope, sender }) => {
    if (signals.length >= most) beyond += 1
    else signals.push({ signal: signalOf(record, resource, scope, sender), sender })
  })
  return { signals, invalid: 0, beyond }
}

function signalOf(
  record: JsonObject,
  resource: OpenTelemetryResource,
  scope: OpenTelemetryScope,
  sender: Sender,
): Signal {
  const observed = nanosOf(record.observedTimeUnixNano)
  // "Use Timestamp if it is present, otherwise use ObservedTimestamp" (log data model, "ObservedTimestamp").
  const time = nanosOf(record.timeUnixNano) ?? observed
  const severityNumber = int32Of(record.severityNumber)
  const body = plainValue(record.body)
  const eventName = text(record.eventName)
  const severityText = text(record.severityText)
  const timestampUs = time === null ? null : usFromNanos(time)
  return {
    ...NO_FIELDS,
    kind: 'log',
    rank: timestampUs ?? 0,
    timestampUs,
    traceId: traceIdOf(record.traceId),
    spanId: spanIdOf(record.spanId),
    name: cutName(titleOf(body) ?? eventName ?? '(no message)'),
    level: severityText?.toLowerCase() ?? levelOf(severityNumber),
    environment: sender.environment,
    release: sender.release,
    fields: {
      severityNumber,
      severityText,
      sequence: null,
      attributes: attributesOf(record.attributes),
      // A body that is an object or a list; text is the name already.
      ...(typeof body === 'object' && body !== null && { body }),
      ...(eventName !== null && { eventName }),
      timeNanos: time?.toString() ?? null,
      observedNanos: observed?.toString() ?? null,
      flags: int32Of(record.flags) ?? 0,
      droppedAttributes: countOf(record.droppedAttributesCount),
      resource,
      scope,
    },
  }
}

function levelOf(severityNumber: number | null): string | null {
  if (severityNumber === null || severityNumber < 1) return null
  return LEVELS[Math.floor((severityNumber - 1) / 4)] ?? null
}

const titleOf = (body: unknown): string | null =>
  typeof body === 'object' && body !== null ? JSON.stringify(body) : text(body)
