/** The one noun: whatever lifecycle spoke, a trace is made of segments, and a segment of spans. Times in µs. */
export interface Segment {
  readonly traceId: string
  /** The id of the segment's own span. */
  readonly segmentId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly lifecycle: 'static' | 'stream'
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
  readonly sdk: string | null
}

export interface SegmentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** `null` where the sender does not say. */
  readonly segmentId: string | null
  readonly isSegment: boolean
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly origin: string | null
  readonly service: string
  readonly startUs: number
  readonly endUs: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly SpanLink[]
}

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  /** `previous_trace`, where the SDK says so. */
  readonly type: string | null
}

/** Statuses that are no errors; everything else of the static lifecycle's words is. */
export const NO_ERRORS = ['ok', 'cancelled', 'unset'] as const

/**
 * Who spoke: `browser`, `server`, `edge`, or another SDK's platform (`python`, `go`). One SDK name serves browser and
 * server of a Next app, so its platform and runtime decide.
 */
export function serviceOf(sender: {
  readonly platform?: string | null
  readonly sdk?: string | null
  readonly runtime?: string | null
  readonly inBrowser?: boolean
}): string {
  if (sender.runtime === 'vercel-edge' || sender.runtime === 'edge') return 'edge'
  if (sender.platform === 'node') return 'server'
  if (sender.platform === 'javascript') return 'browser'
  if (sender.platform) return sender.platform
  // A streamed span has no platform: see `fromBrowser`.
  const family = /^sentry\.([a-z]+)(?:\.([a-z-]+))?/.exec(sender.sdk ?? '')
  if (family !== null && family[1] !== 'javascript') return family[1] ?? 'unknown'
  if (sender.inBrowser) return 'browser'
  return family === null ? 'unknown' : 'server'
}

/** SDKs that run on one side alone. All others of the JavaScript family may run on either, and their name tells nothing. */
const ONE_SIDED: Readonly<Record<string, boolean>> = {
  browser: true,
  react: true,
  vue: true,
  angular: true,
  svelte: true,
  node: false,
  'aws-serverless': false,
}

/**
 * Who spoke, where little is said: an item without a platform of its own, in an envelope that names an SDK at best.
 * @returns `null` where what is said fits more than one.
 */
export function serviceOfSignal(sender: {
  readonly platform: string | null
  readonly sdk: string | null
  readonly inBrowser: boolean | null
}): string | null {
  const side = /^sentry\.javascript\.([a-z-]+)/.exec(sender.sdk ?? '')?.[1] ?? null
  const oneSided = side !== null && Object.hasOwn(ONE_SIDED, side) ? ONE_SIDED[side] : undefined
  const inBrowser = oneSided ?? sender.inBrowser
  if (sender.platform === null && side !== null && inBrowser === null) return null
  const service = serviceOf({ ...sender, inBrowser: inBrowser === true })
  return service === 'unknown' ? null : service
}

/**
 * Does a container of streamed spans come from a browser? Browser SDKs put the browser's `user_agent.original` on every
 * span. A server's has it on some: on outgoing requests it is the caller's own (`node`).
 */
export function fromBrowser(spans: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]): boolean {
  return spans.every(({ attributes }) => String(attributes['user_agent.original'] ?? '').startsWith('Mozilla/'))
}
