import * as z from 'zod'
import { SIZE_LIMITS } from '../size-limits'
import { idField, nestedField, numberField, readFields, textField, timeField } from './fields'
import { cutName, NO_FIELDS, oneSignal, type ParseSignals, type Signal } from './signal'

const headerSchema = z.object({
  filename: textField,
  content_type: textField,
  attachment_type: textField,
  attachment_length: numberField,
  meta_length: numberField,
})
const envelopeSchema = z.object({ trace: nestedField(z.object({ trace_id: idField })) })
const metaSchema = z.object({ trace_id: idField, timestamp: timeField, filename: textField, content_type: textField })
const placeholderSchema = z.object({ location: textField, content_type: textField })

/** "If no attachment type is given it is `event.attachment`" (Sentry's envelope items). */
const PLAIN = 'event.attachment'
/** Attachments of a trace, whose payload begins with `meta_length` bytes of JSON. */
const TRACE_ATTACHMENTS: ReadonlySet<unknown> = new Set([
  'application/vnd.sentry.trace-attachment',
  'application/vnd.sentry.attachment.v2',
])
/** The payload only says where the file was uploaded to. */
const PLACEHOLDER = 'application/vnd.sentry.attachment-ref+json'
/** Longer descriptions of a file are not read. */
const MOST_META_BYTES = 64 * 1024

export const isTraceAttachment = (contentType: unknown): boolean => TRACE_ATTACHMENTS.has(contentType)

interface File {
  readonly filename: string | null
  readonly contentType: string | null
  readonly bytes: number
  readonly traceId: string | null
  readonly timestampUs: Signal['timestampUs']
  /** The place of an uploaded file; `null` when its bytes are in the payload. */
  readonly location: string | null
}

/** Parses an attachment of an event or of a trace: its header and its size. The bytes stay in the record. */
export const parseAttachment: ParseSignals = ({ header, payload, envelope, eventId }) => {
  const given = headerSchema.parse(header)
  const file = fileOf(given, payload)
  return oneSignal({
    ...NO_FIELDS,
    kind: 'attachment',
    timestampUs: file.timestampUs,
    // Without one of its own it belongs to the event in the same envelope, and so to the trace of the envelope.
    traceId: file.traceId ?? envelopeSchema.parse(envelope.header).trace.trace_id,
    eventId,
    name: cutName(file.filename ?? '(unnamed file)'),
    fields: {
      filename: file.filename,
      content_type: file.contentType,
      attachment_type: given.attachment_type ?? PLAIN,
      bytes: file.bytes,
      ...(file.location === null ? {} : { location: file.location }),
    },
  })
}

function fileOf(given: z.infer<typeof headerSchema>, payload: Uint8Array): File {
  const plain: File = {
    filename: given.filename,
    contentType: given.content_type,
    bytes: payload.length,
    traceId: null,
    timestampUs: null,
    location: null,
  }
  if (given.content_type === PLACEHOLDER) {
    const read = readFields(payload.subarray(0, MOST_META_BYTES), placeholderSchema, SIZE_LIMITS)
    const { location, content_type } = read.ok ? read.value : { location: null, content_type: null }
    return {
      ...plain,
      contentType: content_type,
      bytes: given.attachment_length ?? 0,
      location: location ?? '(unknown)',
    }
  }
  const meta = isTraceAttachment(given.content_type) ? (given.meta_length ?? 0) : 0
  if (meta <= 0 || meta > Math.min(payload.length, MOST_META_BYTES)) return plain
  const read = readFields(payload.subarray(0, meta), metaSchema, SIZE_LIMITS)
  if (!read.ok) return plain
  const { filename, content_type, trace_id, timestamp } = read.value
  return {
    filename: filename ?? given.filename,
    contentType: content_type,
    bytes: payload.length - meta,
    traceId: trace_id,
    timestampUs: timestamp,
    location: null,
  }
}
