import * as z from 'zod'
import { fail } from '../result'
import { idField, readFields, textField } from './fields'
import { cutName, NO_FIELDS, oneSignal, type ParseSignals } from './signal'

const reportSchema = z.object({ event_id: idField, name: textField, email: textField, comments: textField })

/** Parses a user report about an event, as sent by SDKs before version 8. An event has at most one. */
export const parseUserReport: ParseSignals = ({ payload, eventId }, sizeLimits) => {
  const read = readFields(payload, reportSchema, sizeLimits)
  if (!read.ok) return read
  const { event_id, name, email, comments } = read.value
  const about = event_id ?? eventId
  if (about === null) return fail('the user report has no event_id of 32 hex digits, and its envelope has none')
  return oneSignal({
    ...NO_FIELDS,
    kind: 'feedback',
    // The prefix avoids a clash with feedback, whose own id may be that of an event.
    key: `user_report/${about}`,
    eventId: about,
    name: cutName(comments ?? '(no message)'),
    fields: { message: comments, contactName: name, contact: email, associatedEventId: about },
  })
}
