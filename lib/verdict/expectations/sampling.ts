import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { Evidence, SeenSegment, SeenSignal } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import { atSegment, spanLabel } from '../rules/describe'
import { isWebVital } from '../rules/group-spans'
import { type Finding, finding, type Verdict, verdictOf } from '../verdict'

const SAMPLED_OUT = 'sample_rate'

interface SampledOut {
  readonly transactions: number
  /** In the streamed lifecycle: segments together with their children. */
  readonly spans: number
}

/** Traces of a service that its sample rate left out, by client reports. */
export function sampledOut(evidence: Evidence, service: string): SampledOut {
  const isBrowser = new Map(
    evidence.envelopes.map(({ seq, origin, page, userAgent }) => [
      seq,
      origin !== null || page !== null || userAgent?.startsWith('Mozilla/') === true,
    ]),
  )
  let [transactions, spans] = [0, 0]
  for (const signal of evidence.signals) {
    if (!isReportOf(signal, service, isBrowser.get(signal.seq) === true)) continue
    const discard = reportedDiscard(signal)
    if (discard?.reason !== SAMPLED_OUT) continue
    if (discard.category === 'transaction') transactions += discard.quantity
    if (discard.category === 'span') spans += discard.quantity
  }
  if (service === 'browser') return { transactions, spans }
  // A server that traces its own tunnel must sample out those requests: at most one transaction per post.
  const posts = evidence.envelopes.filter(({ endpoint, copy }) => endpoint === 'tunnel' && !copy).length
  return { transactions: Math.max(0, transactions - posts), spans: posts > 0 ? 0 : spans }
}

/** A client report names no service: the request of a browser names its origin. */
const isReportOf = ({ service: sender }: SeenSignal, service: string, isOfBrowser: boolean): boolean =>
  (sender ?? (isOfBrowser ? 'browser' : service === 'browser' ? null : service)) === service

/** Standard deviations from the expected number; by chance, fewer than one run in ten thousand is farther away. */
const DEVIATIONS = 4
const UNLIKELY = 1e-4

/**
 * Judges a sample rate. A segment that its SDK sampled names the rate: any other rate fails. Client reports prove what
 * was left out: nothing may be at rate 1, and at other rates the share must be likely. Without rates in segments and
 * without client reports the numbers alone only warn.
 */
export function judgeSampling(evidence: Evidence, service: string, rate: number): Verdict {
  const arrived = evidence.segments.filter(
    (one) =>
      !one.copy && one.service === service && !isWebVital(one) && (one.parentSpanId === null || rateOf(one) !== null),
  )
  const { transactions, spans } = sampledOut(evidence, service)
  const stated = arrived.filter((one) => rateOf(one) !== null)
  const findings = [
    ...otherRates(stated, rate),
    ...byNumber({ arrived: arrived.length, transactions, spans, hasRates: stated.length > 0 }, service, rate),
  ]
  const nothing = `No segment of the ${service}, and no client report about its sample rate, was recorded.`
  return verdictOf(arrived.length + transactions + spans, findings, nothing)
}

const rateOf = ({ attributes }: SeenSegment): number | null => {
  const value = attributes['sentry.sample_rate']
  const rate = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isFinite(rate) ? rate : null
}

/** One finding per other rate. */
function otherRates(segments: readonly SeenSegment[], rate: number): readonly Finding[] {
  const others = groupBy(segments, (segment) => {
    const found = rateOf(segment)
    return found === rate ? null : found
  })
  return [...others].flatMap(([other, [first, ...rest]]) =>
    first === undefined
      ? []
      : [
          {
            about: spanLabel(first),
            at: atSegment(first),
            path: 'sentry.sample_rate',
            actual: `sampled with rate ${other}, as ${plural(rest.length, 'other')}`,
            expected: String(rate),
          },
        ],
  )
}

interface Numbers extends SampledOut {
  readonly arrived: number
  /** Do segments name their rate? Then it is known. */
  readonly hasRates: boolean
}

function byNumber(
  { arrived, transactions, spans, hasRates }: Numbers,
  service: string,
  rate: number,
): readonly Finding[] {
  const left = [
    ...(transactions > 0 ? [plural(transactions, 'transaction')] : []),
    ...(spans > 0 ? [plural(spans, 'span')] : []),
  ].join(' and ')
  const found = (actual: string, expected: string): Finding => finding(`traces of the ${service}`, actual, expected)
  if (arrived === 0 && left === '') return []
  if (rate === 1)
    return left === '' ? [] : [found(`${left} sampled out by client reports: is tracesSampleRate below 1?`, 'none')]
  if (rate === 0) return arrived > 0 && !hasRates ? [found(`${arrived} arrived`, 'none')] : []
  if (transactions > 0) {
    const made = arrived + transactions
    const deviation = Math.abs(arrived - made * rate)
    if (deviation <= DEVIATIONS * Math.sqrt(made * rate * (1 - rate)) + 1) return []
    return [
      found(
        `${arrived} of ${made} arrived, the others sampled out by client reports`,
        `about ${Math.round(made * rate)}`,
      ),
    ]
  }
  if (arrived === 0) return [{ ...found(`none arrived, ${left} sampled out by client reports`, 'some'), isMinor: true }]
  if (hasRates || spans > 0 || rate ** arrived > UNLIKELY) return []
  const expected = `about ${Math.round(arrived / rate - arrived)} sampled out`
  return [
    { ...found(`${arrived} arrived, and no client report counts others: is the rate 1?`, expected), isMinor: true },
  ]
}
