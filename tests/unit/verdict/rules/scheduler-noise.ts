import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { seededRandom } from '../../protocol/seeded-random'

/** ms. A garbage collector, or other programs on the processor, stop a program for this long. */
const LONGEST_PAUSE_MS = 400
/** ms. A timer of a busy event loop fires this late. */
const LATEST_TIMER_MS = 200
/** ms. A collector on a busy machine receives an envelope this much later. */
const LATEST_ARRIVAL_MS = 3_000
/** ms. Clocks of programs on one machine, as a browser rounds and drifts. */
const CLOCK_MS = 20
/** µs. Resolutions of a browser's clock, with and without cross-origin isolation. */
const RESOLUTIONS_US = [1, 5, 100, 1_000] as const

interface Pause {
  readonly fromUs: number
  readonly untilUs: number
}

/**
 * Recorded evidence as a busy machine would have recorded it: each program pauses, fires timers late, and rounds its clock.
 * Pure; equal seeds give equal evidence.
 * @param aheadMs by how much the clock of `service` is ahead, in ms
 */
export function withNoise(
  evidence: Evidence,
  seed: number,
  { service = '', aheadMs = 0 }: { readonly service?: string; readonly aheadMs?: number } = {},
): Evidence {
  const random = seededRandom(seed)
  const programs = new Map<string, (us: number) => number>()
  const times = [
    ...evidence.spans.flatMap(({ startUs, endUs }) => [startUs, endUs]),
    ...evidence.events.map(({ timestampUs }) => timestampUs),
  ]
  const first = times.reduce((least, us) => Math.min(least, us), Number.POSITIVE_INFINITY)
  const last = times.reduce((most, us) => Math.max(most, us), first)
  const clockOf = (name: string) => {
    const known = programs.get(name)
    if (known !== undefined) return known
    const resolution = RESOLUTIONS_US[Math.floor(random() * RESOLUTIONS_US.length)] ?? 1
    const offset = ((random() * 2 - 1) * CLOCK_MS + (name === service ? aheadMs : 0)) * 1000
    const pauses = Array.from({ length: 3 }, (): Pause => {
      const fromUs = first + random() * (last - first)
      return { fromUs, untilUs: fromUs + random() * LONGEST_PAUSE_MS * 1000 }
    })
    const clock = (us: number): number => {
      const pause = pauses.find(({ fromUs, untilUs }) => us >= fromUs && us < untilUs)
      // Times of performance entries are exact, even if a callback reads them late.
      const seen = pause !== undefined && random() < 0.7 ? pause.untilUs : us
      const late = random() < 0.3 ? random() * LATEST_TIMER_MS * 1000 : 0
      return Math.round((seen + late + offset) / resolution) * resolution
    }
    programs.set(name, clock)
    return clock
  }
  const span = <One extends { readonly service: string; readonly startUs: number; readonly endUs: number }>(
    one: One,
  ): One => {
    const clock = clockOf(one.service)
    const startUs = clock(one.startUs)
    return { ...one, startUs, endUs: Math.max(startUs, clock(one.endUs)) }
  }
  const spans = evidence.spans.map(span)
  const noisy = new Map(spans.map((one) => [`${one.traceId} ${one.spanId}`, one]))
  const segments = evidence.segments.map((one) => {
    const { startUs, endUs } = noisy.get(`${one.traceId} ${one.segmentId}`) ?? span(one)
    return { ...one, startUs, endUs }
  })
  const serviceOf = new Map([...evidence.spans, ...evidence.events].map((one) => [one.seq, one.service]))
  const envelopes = evidence.envelopes.map((one) => {
    const sentMs = Date.parse(String(one.header.sent_at))
    if (Number.isNaN(sentMs)) return one
    const shifted = clockOf(serviceOf.get(one.seq) ?? '')(sentMs * 1000) / 1000
    return { ...one, header: { ...one.header, sent_at: new Date(shifted).toISOString() } }
  })
  const arrivals = new Map(envelopes.map(({ seq, receivedAt }) => [seq, receivedAt + random() * LATEST_ARRIVAL_MS]))
  const arrived = <One extends { readonly seq: number; readonly receivedAt: number }>(one: One): One => ({
    ...one,
    receivedAt: arrivals.get(one.seq) ?? one.receivedAt,
  })
  return {
    ...evidence,
    envelopes: envelopes.map(arrived),
    events: evidence.events.map((one) => arrived({ ...one, timestampUs: clockOf(one.service)(one.timestampUs) })),
    segments: segments.map(arrived),
    spans: spans.map(arrived),
  }
}
