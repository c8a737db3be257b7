import * as z from 'zod'
import { sdkName } from './event'
import { idField, nestedField, objectField, readFields, spanIdField, textField, timeField } from './fields'
import { cutName, oneSignal, type ParseSignals } from './signal'

const feedbackSchema = z.object({
  event_id: idField,
  timestamp: timeField,
  platform: textField,
  environment: textField,
  release: textField,
  level: textField,
  sdk: objectField,
  contexts: nestedField(
    z.object({
      trace: nestedField(z.object({ trace_id: idField, span_id: spanIdField })),
      feedback: nestedField(
        z.object({
          message: textField,
          contact_email: textField,
          name: textField,
          url: textField,
          source: textField,
          replay_id: idField,
          associated_event_id: idField,
        }),
      ),
    }),
  ),
})

/** Parses user feedback. It is a separate event, which may refer to an error event. */
export const parseFeedback: ParseSignals = ({ payload, eventId }, sizeLimits) => {
  const read = readFields(payload, feedbackSchema, sizeLimits)
  if (!read.ok) return read
  const event = read.value
  const { feedback, trace } = event.contexts
  return oneSignal(
    {
      kind: 'feedback',
      key: event.event_id ?? eventId,
      rank: event.timestamp ?? 0,
      timestampUs: event.timestamp,
      traceId: trace.trace_id,
      spanId: trace.span_id,
      eventId: feedback.associated_event_id,
      name: cutName(feedback.message ?? '(no message)'),
      level: event.level,
      environment: event.environment,
      release: event.release,
      fields: {
        message: feedback.message,
        contactName: feedback.name,
        contact: feedback.contact_email,
        url: feedback.url,
        source: feedback.source,
        replayId: feedback.replay_id,
        associatedEventId: feedback.associated_event_id,
      },
    },
    { platform: event.platform, sdk: sdkName(event.sdk), inBrowser: null },
  )
}
