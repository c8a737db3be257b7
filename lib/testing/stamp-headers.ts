import { isStamp, STAMP_MEANT } from '../protocol/stamp'

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

/** @throws TypeError where it is no stamp */
export function checkedStamp(stamp: string): string {
  if (typeof stamp === 'string' && isStamp(stamp)) return stamp
  throw new TypeError(`${JSON.stringify(stamp)} is not ${STAMP_MEANT}`)
}
