import { isStamp, STAMP_ATTRIBUTE, STAMP_FORMAT } from '../protocol/request'

/**
 * Headers that assign a program's telemetry to a stamp. The page header identifies the client, which `toBackOff` needs.
 * For an SDK in Node: `Sentry.init({ transportOptions: { headers: stampHeaders(stamp) } })`.
 * @param page 1 to 64 letters, digits, `_` and `-`; random by default
 * @throws TypeError for an invalid stamp
 */
export function stampHeaders(
  stamp: string,
  page: string = crypto.randomUUID(),
): { readonly 'x-waystation-stamp': string; readonly 'x-waystation-page': string } {
  return { 'x-waystation-stamp': requireStamp(stamp), 'x-waystation-page': page }
}

/** Headers of one request: its stamp, and a trace that the server continues. */
export type RequestHeaders = ReturnType<typeof stampHeaders> & {
  readonly 'sentry-trace': string
  readonly traceparent: string
  readonly baggage: string
}

/**
 * `sentry-trace` has no sampling decision and `baggage` no entry of Sentry, so Sentry's SDK continues the trace and uses
 * its own sampler. `traceparent` cannot leave the decision open: a server with OpenTelemetry samples the request.
 * @param traceId 32 hex digits
 * @throws TypeError for an invalid stamp
 */
export function requestHeaders(stamp: string, traceId: string): RequestHeaders {
  const spanId = randomTraceId().slice(16)
  return {
    ...stampHeaders(stamp),
    'sentry-trace': `${traceId}-${spanId}`,
    traceparent: `00-${traceId}-${spanId}-01`,
    baggage: `${STAMP_ATTRIBUTE}=${encodeURIComponent(stamp)}`,
  }
}

export const randomTraceId = (): string => crypto.randomUUID().replaceAll('-', '')

/** @throws TypeError for an invalid stamp */
export function requireStamp(stamp: string): string {
  if (typeof stamp === 'string' && isStamp(stamp)) return stamp
  throw new TypeError(`${JSON.stringify(stamp)} is not ${STAMP_FORMAT}`)
}
