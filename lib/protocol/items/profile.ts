import * as z from 'zod'
import { idField, nestedField, numberField, objectListField, readFields, textField, timeField } from './fields'
import { cutName, NO_SENDER, oneSignal, type ParseSignals } from './signal'

const transactionSchema = z.object({ id: idField, trace_id: idField, name: textField })
const profileSchema = z.object({
  event_id: idField,
  profile_id: idField,
  timestamp: timeField,
  platform: textField,
  environment: textField,
  release: textField,
  version: textField,
  duration_ns: numberField,
  transaction: nestedField(transactionSchema),
  transactions: objectListField,
  profile: nestedField(z.object({ samples: objectListField })),
})

/** Parses the profile of one transaction: its duration and number of samples, not the samples. */
export const parseProfile: ParseSignals = ({ payload, eventId }, sizeLimits) => {
  const read = readFields(payload, profileSchema, sizeLimits)
  if (!read.ok) return read
  const profile = read.value
  const profileId = profile.event_id ?? profile.profile_id
  // Early SDKs send a list, whose first entry is the profiled transaction.
  const listed = transactionSchema.parse(profile.transactions[0] ?? {})
  const transaction = profile.transaction.id === null ? listed : profile.transaction
  const { samples } = profile.profile
  return oneSignal(
    {
      kind: 'profile',
      key: profileId,
      rank: profile.timestamp ?? 0,
      timestampUs: profile.timestamp,
      traceId: transaction.trace_id,
      spanId: null,
      eventId: transaction.id ?? eventId,
      name: cutName(transaction.name ?? (profileId === null ? '(unnamed profile)' : `profile ${profileId}`)),
      level: null,
      environment: profile.environment,
      release: profile.release,
      fields: {
        profileId,
        transactionId: transaction.id,
        platform: profile.platform,
        version: profile.version,
        samples: samples.length === 0 ? null : samples.length,
        durationMs: elapsedMs(samples) ?? (profile.duration_ns === null ? null : profile.duration_ns / 1e6),
        bytes: payload.length,
      },
    },
    { ...NO_SENDER, platform: profile.platform },
  )
}

/** Returns the time of the last sample in ms; samples have nanoseconds since the start, as text. */
function elapsedMs(samples: readonly { readonly elapsed_since_start_ns?: unknown }[]): number | null {
  const last = Number(samples.at(-1)?.elapsed_since_start_ns)
  return Number.isFinite(last) ? last / 1e6 : null
}
