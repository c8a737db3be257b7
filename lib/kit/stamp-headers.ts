import { isStamp, STAMP_FORMAT } from '../protocol/request'

/**
 * The headers that tie what a program sends to a stamp, and name the program: whether it keeps to a rate limit can only be
 * judged of a client that says which it is. They belong into the `Sentry.init` of an SDK in Node, as
 * `transportOptions: { headers: stampHeaders(stamp) }`.
 * @param page names the client: 1 to 64 letters, digits, `_` and `-`; random when left out
 * @throws TypeError where it is no stamp
 */
export function stampHeaders(
  stamp: string,
  page: string = crypto.randomUUID(),
): { readonly 'x-waystation-stamp': string; readonly 'x-waystation-page': string } {
  return { 'x-waystation-stamp': checkedStamp(stamp), 'x-waystation-page': page }
}

/** Headers of one request: they stamp it, and begin the trace that the server goes on with. */
export type RequestHeaders = ReturnType<typeof stampHeaders> & { readonly 'sentry-trace': string }

/**
 * Whether the trace is sampled is left to whom is asked, and so is what `baggage` would say: without either an SDK
 * continues the trace and decides by its own sampler.
 * @param traceId 32 hex digits
 * @throws TypeError where it is no stamp
 */
export const requestHeaders = (stamp: string, traceId: string): RequestHeaders => ({
  ...stampHeaders(stamp),
  'sentry-trace': `${traceId}-${freshHex().slice(16)}`,
})

/** 32 hex digits of chance. */
export const freshHex = (): string => crypto.randomUUID().replaceAll('-', '')

/** @throws TypeError where it is no stamp */
export function checkedStamp(stamp: string): string {
  if (typeof stamp === 'string' && isStamp(stamp)) return stamp
  throw new TypeError(`${JSON.stringify(stamp)} is not ${STAMP_FORMAT}`)
}
