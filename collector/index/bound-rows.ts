import type { Segment } from '../../lib/protocol/trace/segment'
import type { EventRow, SignalToKeep, Source } from '../../lib/protocol/traversal/rows'
import type { Contribution } from './contributions'
import { listPlace } from './list-place'
import { signalKey } from './signal-key'

/*
 * What a record tells, as contributions to tables. Writer and eraser go by the same functions: what was written under
 * one identity and rank is found again under the same.
 */

/** @param slot which of the segments that the record tells of. */
export function segmentContribution(segment: Segment, place: number, slot: number, source: Source): Contribution {
  const { seq, item, journal, copy, stamp } = source
  return {
    kind: 'segment',
    key: `${segment.traceId}/${segment.segmentId}`,
    row: { ...segment, copy: aloneAs(copy), seq, item, place, listPlace: listPlace(journal, slot), stamp },
    rank: segment.endUs,
    isCopy: copy,
  }
}

export function eventContribution(event: EventRow, source: Source): Contribution {
  const { seq, item, journal, receivedAt, copy } = source
  return {
    kind: 'event',
    key: event.eventId,
    row: {
      ...eventColumns(event),
      handled: event.handled === null ? null : Number(event.handled),
      journal,
      receivedAt,
      copy: aloneAs(copy),
      seq,
      item,
      // An item is one event.
      place: 0,
    },
    rank: event.timestampUs,
    isCopy: copy,
  }
}

/** The digest hands over the whole event; what has no column must not wait in a repeat either. */
const eventColumns = (event: EventRow): EventRow => ({
  eventId: event.eventId,
  traceId: event.traceId,
  spanId: event.spanId,
  timestampUs: event.timestampUs,
  level: event.level,
  platform: event.platform,
  service: event.service,
  title: event.title,
  handled: event.handled,
  mechanism: event.mechanism,
  transaction: event.transaction,
  environment: event.environment,
  release: event.release,
  digest: event.digest,
})

export function signalContribution(signal: SignalToKeep, place: number, source: Source): Contribution {
  const { seq, item, journal, receivedAt, copy } = source
  const key = signalKey(signal.key, source, place)
  return {
    kind: signal.kind,
    key,
    row: {
      ...signal,
      key,
      timestampUs: signal.timestampUs ?? receivedAt * 1000,
      fields: JSON.stringify(signal.fields),
      journal,
      receivedAt,
      copy: aloneAs(copy),
      seq,
      item,
      place,
    },
    rank: signal.rank,
    isCopy: copy,
  }
}

/** As long as nobody else tells of it. */
const aloneAs = (copy: boolean): 'only' | 'no' => (copy ? 'only' : 'no')
