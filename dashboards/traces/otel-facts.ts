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

type SdkSegment = Pick<Segment, 'segmentId' | 'sdk'>
type SdkSpan = Pick<Span, 'spanId' | 'parentSpanId' | 'segmentId'> & {
  readonly otel?: Pick<SpanOtel, 'resource'> | undefined
}

/** The SDK that recorded each span, as far as it is known. */
export function sdksOfSpans(spans: readonly SdkSpan[], segments: readonly SdkSegment[]): ReadonlyMap<string, string> {
  const ofSegment = new Map(segments.map(({ segmentId, sdk }) => [segmentId, sdk]))
  const found = new Map<string, string>()
  for (const { spanId, segmentId, otel } of spans) {
    const sdk =
      otel === undefined
        ? (ofSegment.get(spanId) ?? ofSegment.get(segmentId ?? ''))
        : openTelemetrySdk(otel.resource.attributes)
    if (sdk) found.set(spanId, sdk)
  }
  return found
}

/** The SDKs that the waterfall names: of each segment, and of each span that another SDK recorded than its parent. */
export function shownSdks(spans: readonly SdkSpan[], segments: readonly SdkSegment[]): ReadonlyMap<string, string> {
  const all = sdksOfSpans(spans, segments)
  const starts = new Set(segments.map(({ segmentId }) => segmentId))
  const shown = new Map<string, string>()
  for (const { spanId, parentSpanId } of spans) {
    const sdk = all.get(spanId)
    if (sdk !== undefined && (starts.has(spanId) || sdk !== all.get(parentSpanId ?? ''))) shown.set(spanId, sdk)
  }
  return shown
}
