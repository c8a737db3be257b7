import * as z from 'zod'
import { sdkName } from './event'
import { id16, id32, moment, object, readFields, within, word } from './fields'
import { cutName, oneSignal, type ParseSignals } from './signal'

const feedbackSchema = z.object({
  event_id: id32,
  timestamp: moment,
  platform: word,
  environment: word,
  release: word,
  level: word,
  sdk: object,
  contexts: within(
    z.object({
      trace: within(z.object({ trace_id: id32, span_id: id16 })),
      feedback: within(
        z.object({
          message: word,
          contact_email: word,
          name: word,
          url: word,
          source: word,
          replay_id: id32,
          associated_event_id: id32,
        }),
      ),
    }),
  ),
})

/** Parses user feedback. It is a separate event, which may refer to an error event. */
export const parseFeedback: ParseSignals = ({ payload, eventId }, limits) => {
  const read = readFields(payload, feedbackSchema, limits)
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
