import * as z from 'zod'
import { idField, nestedField, textField } from './fields'
import { cutName, NO_FIELDS, oneSignal, type ParseSignals } from './signal'

const headerSchema = z.object({ filename: textField, content_type: textField, attachment_type: textField })
const envelopeSchema = z.object({ trace: nestedField(z.object({ trace_id: idField })) })

/** "If no attachment type is given it is `event.attachment`" (Sentry's envelope items). */
const PLAIN = 'event.attachment'

/** Parses an attachment of an event: its header and its size. The bytes stay in the record. */
export const parseAttachment: ParseSignals = ({ header, payload, envelope, eventId }) => {
  const { filename, content_type, attachment_type } = headerSchema.parse(header)
  return oneSignal({
    ...NO_FIELDS,
    kind: 'attachment',
    // It belongs to the event in the same envelope, and so to the trace of the envelope.
    traceId: envelopeSchema.parse(envelope.header).trace.trace_id,
    eventId,
    name: cutName(filename ?? '(unnamed file)'),
    fields: { filename, content_type, attachment_type: attachment_type ?? PLAIN, bytes: payload.length },
  })
}
