import * as z from 'zod'
import { id32, within, word } from './fields'
import { cutName, NOTHING_SAID, oneSignal, type ParseSignals } from './signal'

const headerSchema = z.object({ filename: word, content_type: word, attachment_type: word })
const envelopeSchema = z.object({ trace: within(z.object({ trace_id: id32 })) })

/** "If no attachment type is given it is `event.attachment`" (Sentry's envelope items). */
const PLAIN = 'event.attachment'

/** A file that came with an event: what its header says, and its size. The bytes stay in the record. */
export const parseAttachment: ParseSignals = ({ header, payload, envelope, eventId }) => {
  const { filename, content_type, attachment_type } = headerSchema.parse(header)
  return oneSignal({
    ...NOTHING_SAID,
    kind: 'attachment',
    // It belongs to what came in the same envelope, and so to its trace.
    traceId: envelopeSchema.parse(envelope.header).trace.trace_id,
    eventId,
    name: cutName(filename ?? '(unnamed file)'),
    fields: { filename, content_type, attachment_type: attachment_type ?? PLAIN, bytes: payload.length },
  })
}
