import { formatCount, formatDurationUs, plural } from '../../lib/format'
import { openTelemetrySdk } from '../../lib/protocol/trace/segment'
import type { Segment, Span, SpanOtel } from '../../lib/wire/trace'
import { withSign } from '../ui/times'

const SAMPLED = 0x1
const RANDOM = 0x2
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

/** Flags in hex with the names of known bits (trace.proto, `SpanFlags`). */
export function flagsText(flags: number, remote: 'parent' | 'span' = 'parent'): string {
  const names = [
    (flags & SAMPLED) !== 0 && 'sampled',
    (flags & RANDOM) !== 0 && 'random trace id',
    (flags & HAS_IS_REMOTE) !== 0 && `${remote} in ${(flags & IS_REMOTE) === 0 ? 'the same' : 'another'} process`,
  ].filter((name) => name !== false)
  const hex = `0x${(flags >>> 0).toString(16).padStart(2, '0')}`
  return names.length === 0 ? hex : `${hex} ${names.join(', ')}`
}

interface Offset {
  readonly text: string
  /** All nanoseconds: `+1,234,567 ns`. */
  readonly exact: string
}

/** The time from one timestamp in decimal nanoseconds to another. */
export function nanosBetween(fromNanos: string, toNanos: string): Offset {
  const nanos = Number(BigInt(toNanos) - BigInt(fromNanos))
  const short = Math.abs(nanos) > 0 && Math.abs(nanos) < 1000 ? `${nanos} ns` : formatDurationUs(nanos / 1000)
  return { text: withSign(short, nanos), exact: withSign(`${formatCount(nanos)} ns`, nanos) }
}

export type SpanEvent = SpanOtel['events'][number]

/** The events of a span, earliest first. */
export const inTimeOrder = (events: readonly SpanEvent[]): readonly SpanEvent[] =>
  [...events].sort((a, b) => {
    const [first, second] = [BigInt(a.timeNanos), BigInt(b.timeNanos)]
    return first < second ? -1 : first > second ? 1 : 0
  })

/** `2 attributes, 1 event`; `null` when the SDK left out nothing. */
export function droppedText({ attributes, events, links }: SpanOtel['dropped']): string | null {
  const parts = [
    attributes > 0 && plural(attributes, 'attribute'),
    events > 0 && plural(events, 'event'),
    links > 0 && plural(links, 'link'),
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : parts.join(', ')
}

/** The SDK that recorded a span, as far as it is known. */
export function sdkOfSpan(
  { segmentId, otel }: Pick<Span, 'segmentId'> & { readonly otel?: Pick<SpanOtel, 'resource'> | undefined },
  segments: readonly Pick<Segment, 'segmentId' | 'sdk'>[],
): string | null {
  if (otel !== undefined) return openTelemetrySdk(otel.resource.attributes)
  return segments.find((one) => one.segmentId === segmentId)?.sdk ?? null
}
