import * as z from 'zod'
import { number } from '../json-value'
import { usFromTimestamp } from '../timestamp'
import { sdkName } from './event'
import { idField, nestedField, objectField, objectListField, readFields, textField, timeField } from './fields'
import { oneSignal, type ParseSignals } from './signal'

const chunkSchema = z.object({
  chunk_id: idField,
  profiler_id: idField,
  platform: textField,
  environment: textField,
  release: textField,
  version: textField,
  timestamp: timeField,
  client_sdk: objectField,
  profile: nestedField(z.object({ samples: objectListField })),
})

/** Parses a chunk of a continuous profiler: its duration and number of samples, not the samples. */
export const parseProfileChunk: ParseSignals = ({ header, payload }, sizeLimits) => {
  const read = readFields(payload, chunkSchema, sizeLimits)
  if (!read.ok) return read
  const chunk = read.value
  const platform = chunk.platform ?? textField.parse(header.platform)
  const { samples } = chunk.profile
  const span = secondsOf(samples)
  return oneSignal(
    {
      kind: 'profile',
      key: chunk.chunk_id,
      rank: 0,
      timestampUs: span === null ? chunk.timestamp : usFromTimestamp(span.start),
      // A chunk names no trace; spans name their profiler.
      traceId: null,
      spanId: null,
      eventId: null,
      name: chunk.profiler_id === null ? '(unnamed profiler)' : `profiler ${chunk.profiler_id}`,
      level: null,
      environment: chunk.environment,
      release: chunk.release,
      fields: {
        chunkId: chunk.chunk_id,
        profilerId: chunk.profiler_id,
        platform,
        version: chunk.version,
        samples: samples.length === 0 ? null : samples.length,
        durationMs: span === null ? null : (span.end - span.start) * 1000,
        bytes: payload.length,
      },
    },
    { platform, sdk: sdkName(chunk.client_sdk), inBrowser: null },
  )
}

/** Returns the first and last time of samples, which are unordered when they come from several threads. */
function secondsOf(samples: readonly { readonly timestamp?: unknown }[]): { start: number; end: number } | null {
  let start = Number.POSITIVE_INFINITY
  let end = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    const at = number(sample.timestamp)
    if (at === null) continue
    start = Math.min(start, at)
    end = Math.max(end, at)
  }
  return start <= end ? { start, end } : null
}
